// The beginning of a text, where a rough limit is enough.

/** At most `most` UTF-16 units from the front, never half of a character that takes two. */
export function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
