// A secret as it may be shown: enough to tell two apart, too little to use.

/** `••••` and, for a long secret, its last four characters. */
export function masked(secret: string): string {
  return secret.length >= 16 ? `••••${secret.slice(-4)}` : '••••';
}
