// The title of a session: the beginning of its first request, in one line of at most 60 characters.

export function titleOf(request: string): string {
  const chars = Array.from(request.replace(/\s+/g, ' ').trim());
  return chars.length > 60 ? `${chars.slice(0, 59).join('')}…` : chars.join('');
}
