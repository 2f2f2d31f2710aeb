import { describe, expect, test } from 'vitest';
import { type Input, keyDecoder } from '../../../cli/screen/keys.ts';

function decoded(...pieces: readonly (string | Uint8Array)[]): Input[] {
  const decoder = keyDecoder();
  return [...pieces.flatMap((piece) => decoder.feed(Buffer.from(piece))), ...decoder.flush()];
}

const names = (inputs: readonly Input[]) =>
  inputs.map((one) => (one.type === 'key' ? one.name : one.type === 'text' ? `"${one.text}"` : one.type));

describe('keys', () => {
  test('are named, whatever form the terminal sends', () => {
    expect(names(decoded('\x1b[A'))).toEqual(['up']);
    expect(names(decoded('\x1bOA'))).toEqual(['up']);
    expect(names(decoded('\x1b[1;5D'))).toEqual(['ctrl+left']);
    expect(names(decoded('\x1b[3~\x1b[5~\x1b[Z'))).toEqual(['delete', 'pageup', 'shift+tab']);
    expect(names(decoded('\x1b\r'))).toEqual(['alt+enter']);
    expect(names(decoded('\n', '\r', '\x03', '\x7f', '\x1f'))).toEqual(['ctrl+j', 'enter', 'ctrl+c', 'backspace', 'ctrl+_']);
    expect(names(decoded('\x1bb'))).toEqual(['alt+b']);
    expect(names(decoded('\x1b[13;2u', '\x1b[27;5;13~'))).toEqual(['shift+enter', 'ctrl+enter']);
  });

  test('a lone escape waits for more and is Escape when nothing comes', () => {
    const decoder = keyDecoder();
    expect(decoder.feed(Buffer.from('\x1b'))).toEqual([]);
    expect(decoder.waitMs()).toBeGreaterThan(80);
    expect(names(decoder.flush())).toEqual(['escape']);
    expect(decoder.waitMs()).toBeUndefined();
  });

  test('a sequence split between reads is one key, never an abort and letters', () => {
    for (const sequence of ['\x1b[A', '\x1b[1;5D', '\x1b[200~x\x1b[201~', '\x1b[<64;10;10M', '\x1bOB', '\x1b\r'])
      for (let at = 1; at < Buffer.byteLength(sequence); at++) {
        const bytes = Buffer.from(sequence);
        expect(decoded(bytes.subarray(0, at), bytes.subarray(at)).map((one) => one.type)).toEqual(decoded(sequence).map((one) => one.type));
      }
  });

  test('an unknown sequence is dropped as a whole', () => {
    expect(names(decoded('\x1b[99;99xa'))).toEqual(['"a"']);
    expect(names(decoded('\x1b[I\x1b[Oa'))).toEqual(['"a"']);
    expect(names(decoded(Uint8Array.of(0x80, 0xbf, 0x61)))).toEqual(['"\ufffd\ufffda"']);
  });

  test('the wheel and clicks are told apart', () => {
    expect(decoded('\x1b[<64;3;4M\x1b[<65;3;4M\x1b[<0;3;4M\x1b[<0;3;4m')).toEqual([
      { type: 'wheel', up: true },
      { type: 'wheel', up: false },
      { type: 'click', x: 3, y: 4 },
    ]);
  });
});

describe('paste', () => {
  const data = `${'line of text\t\r\n'.repeat(14_000)}/quit\r\n\x1b stays\r\n`;

  test('of 200 KB is one block with plain line ends, whatever the pieces', () => {
    const all = Buffer.from(`\x1b[200~${data}\x1b[201~`);
    const decoder = keyDecoder();
    const out: Input[] = [];
    for (let at = 0; at < all.length; at += 997) out.push(...decoder.feed(all.subarray(at, at + 997)));
    expect(out).toEqual([{ type: 'paste', text: data.replace(/\r\n/g, '\n') }]);
  });

  test('with its start marker split at every byte is still one block', () => {
    for (let at = 1; at < 6; at++) {
      const start = '\x1b[200~';
      expect(decoded(start.slice(0, at), `${start.slice(at)}a\rb\x1b[20`, '1~')).toEqual([{ type: 'paste', text: 'a\nb' }]);
    }
  });

  test('whose end never comes ends by itself and keys work again', () => {
    const decoder = keyDecoder();
    expect(decoder.feed(Buffer.from('\x1b[200~lost'))).toEqual([]);
    expect(decoder.waitMs()).toBeDefined();
    expect(decoder.flush()).toEqual([{ type: 'paste', text: 'lost' }]);
    expect(names(decoder.feed(Buffer.from('\x03')))).toEqual(['ctrl+c']);
  });

  test('from a terminal without markers is a block too', () => {
    expect(decoded('first line\rsecond line\rthird\r/quit\r')).toEqual([
      { type: 'paste', text: 'first line\nsecond line\nthird\n/quit\n' },
    ]);
    expect(names(decoded('hello\r'))).toEqual(['"hello"', 'enter']);
  });
});
