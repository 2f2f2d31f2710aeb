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

/** Pixels of an image of the types above, as its header says; undefined when it does not say. */
export function imageSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  switch (imageType(bytes)) {
    case 'image/png':
      return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case 'image/gif':
      return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case 'image/jpeg':
      return jpegSize(bytes);
    case 'image/webp':
      return webpSize(bytes);
    default:
      return undefined;
  }
}

/** A JPEG is a list of marked segments; the frame's, SOF, holds the size. */
function jpegSize(bytes: Buffer) {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const mark = bytes.readUInt8(at + 1);
    const isFrame = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += mark === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer) {
  if (bytes.length < 30) return undefined;
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === 'VP8L') return { width: (bytes.readUInt32LE(21) & 0x3fff) + 1, height: ((bytes.readUInt32LE(21) >> 14) & 0x3fff) + 1 };
  return form === 'VP8 ' ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff } : undefined;
}

/** What a binary file is, for people and models. */
export function nameOfBinary(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 16);
  return imageType(bytes) ?? OTHERS.find(([, magic]) => head.startsWith(magic))?.[0] ?? 'unknown format';
}
