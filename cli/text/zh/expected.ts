// 一项设置该是什么的中文说法。

/** 设置值该是什么（store/config/key.ts 的说法）；不认识的照原文。 */
const EXPECTED: ReadonlyArray<readonly [english: RegExp, chinese: string]> = [
  [/^a whole number of at least (\S+)$/, '不小于 $1 的整数'],
  [/^a whole number from (\S+) to (\S+)$/, '$1 到 $2 之间的整数'],
  [/^a number from (\S+) to (\S+)$/, '$1 到 $2 之间的数'],
  [/^a number above 0$/, '大于 0 的数'],
  [/^an http:\/\/ or https:\/\/ address$/, '以 http:// 或 https:// 开头的地址'],
  [/^text that is not empty$/, '非空的文字'],
  [/^printable ASCII without blanks$/, '不含空白的 ASCII 字符'],
  [/^a name of letters, digits, "\.", "_" and "-"$/, '由字母、数字、"."、"_" 和 "-" 组成的名字'],
  [/^an absolute path of a file, or one that begins with "~\/"$/, '文件的绝对路径，或以 "~/" 开头的路径'],
  [/^a list of texts, such as (.*)$/, '文字列表，例如 $1'],
  [/^a date and time such as (.*)$/, '日期和时间，例如 $1'],
  [/^a table of texts$/, '文字表'],
  [/^a table$/, '表'],
];

export const mustBe = (english: string): string => `必须是${expected(english)}`.replace(/是(?=[\x21-\x7e])/, '是 ');

/** 一项设置该是什么。 */
export function expected(english: string): string {
  const known = EXPECTED.find(([pattern]) => pattern.test(english));
  if (known !== undefined) return english.replace(known[0], known[1]);
  // 几个值中的一个：`"en" or "zh"`、`true or false`。
  return english.replaceAll('", "', '"、"').replace(/ or /, ' 或 ');
}
