// Text for benchmarks: English and Chinese words whose frequencies fall as in real text (Zipf), from a seed.

export interface Writer {
  /** A text of about `words` words, a third of them Chinese. */
  sentence(words: number): string;
  /** A query of two to five words, as often Chinese as English. */
  query(): string;
}

const SYLLABLES = [
  'ba',
  'con',
  'de',
  'er',
  'fo',
  'gra',
  'hi',
  'in',
  'ka',
  'lo',
  'mi',
  'no',
  'or',
  'pe',
  'qua',
  're',
  'si',
  'ta',
  'un',
  'ver',
];
const HAN_FROM = 0x4e00;
const VOCABULARY = 20_000;

export function writer(seed: number): Writer {
  let state = seed;
  // Park and Miller's generator: the same text everywhere.
  const random = () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
  /** Rank of a word: small ranks are frequent. */
  const rank = () => Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()) - 1);
  const english = (n: number) => {
    let word = '';
    for (let left = n + 20; left > 0; left = Math.floor(left / 20)) word += SYLLABLES[left % 20] ?? '';
    return word;
  };
  const chinese = (n: number) => String.fromCodePoint(HAN_FROM + (n % 140), HAN_FROM + 200 + Math.floor(n / 140));
  const word = () => (random() < 0.33 ? chinese(rank()) : `${english(rank())} `);
  return {
    sentence: (words) => Array.from({ length: words }, word).join('').trim(),
    query() {
      const inChinese = random() < 0.5;
      // The most frequent words stand in nearly every text: no one asks for those alone.
      const asked = () => 20 + Math.floor((VOCABULARY - 20) ** random());
      return Array.from({ length: 2 + Math.floor(random() * 4) }, () => (inChinese ? chinese(asked()) : `${english(asked())} `))
        .join('')
        .trim();
    },
  };
}
