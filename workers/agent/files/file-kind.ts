// What a binary file is, by its first bytes (the formats' own signatures).

const IMAGES: ReadonlyArray<readonly [type: string, test: (bytes: Buffer) => boolean]> = [
  ['image/png', (b) => b.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (b) => b[0] === 0xff && b[1] === 0xd8 && b[2] === 0xff],
  ['image/gif', (b) => /^GIF8[79]a/.test(b.toString('latin1', 0, 6))],
  ['image/webp', (b) => b.toString('latin1', 0, 4) === 'RIFF' && b.toString('latin1', 8, 12) === 'WEBP'],
];

const OTHERS: ReadonlyArray<readonly [name: string, magic: string]> = [
  ['PDF document', '%PDF-'],
  ['zip archive (also office documents, jar)', 'PK\x03\x04'],
  ['gzip data', '\x1f\x8b'],
  ['xz data', '\xfd7zXZ'],
  ['bzip2 data', 'BZh'],
  ['zstd data', '\x28\xb5\x2f\xfd'],
  ['ELF program or library', '\x7fELF'],
  ['SQLite database', 'SQLite format 3'],
  ['WebAssembly module', '\0asm'],
  ['Java class', '\xca\xfe\xba\xbe'],
  ['BMP image', 'BM'],
];

/** The media type of an image that models take, or undefined. */
export function imageType(bytes: Buffer): string | undefined {
  return IMAGES.find(([, test]) => test(bytes))?.[0];
}

/** What a binary file is, for people and models. */
export function nameOfBinary(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 16);
  return imageType(bytes) ?? OTHERS.find(([, magic]) => head.startsWith(magic))?.[0] ?? 'unknown format';
}
