// Words that say nothing about what is looked for. They are indexed like all others and only left out of a query that
// has something else in it: "to be or not to be" is still found.

const ENGLISH = `a about above after again against all also am an and any are as at be because been before being below
between both but by can could did do does doing don down during each else ever few for from further had has have having he
her here hers herself him himself his how i if in into is it its itself just me might more most must my myself no nor not
now of off on once only or other our ours ourselves out over own same shall she should so some such than that the their
theirs them themselves then there these they this those through to too under until up upon us very was we were what when
where which while who whom whose why will with would yes you your yours yourself yourselves
dont didnt doesnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt havent hasnt hadnt youre theyre youve weve
theyve ive im id ill youll theyll well d ll m re s t ve`;

const CHINESE = `的 地 得 了 着 过 是 在 有 我 你 您 他 她 它 们 我们 你们 他们 她们 它们 咱们 自己 这 那 这个 那个 这些 那些 这里 那里
这样 那样 和 与 或 及 跟 同 或者 以及 并 而 且 而且 但 但是 就 都 也 还 又 再 很 太 更 最 把 被 让 给 对 对于 从 到 向 往 于 以 为 为了 因为 所以
如果 吗 呢 吧 啊 呀 嘛 哦 么 什么 怎么 怎样 怎么样 怎么办 如何 为什么 为何 哪 哪个 哪些 哪里 哪儿 哪位 哪天 哪种 谁 几 多少 何时 什么时候 时候 何处 是否 是不是
有没有 没有 没 不 不是 会 能 可以 要 想 个 一个 一 之 其 此 请 请问 请教 呗 啦 的话 当 时 里 上 下 中 后 前`;

const STOP = new Set([...ENGLISH.split(/\s+/), ...CHINESE.split(/\s+/)]);

/** Stop words of one character that as often end or begin a word of two: `超时`, `会议`, `后端`. */
const BINDING = new Set('地得着过有对给让向为同会能要想个时里上下中后前当请没之'.split(''));

/** True for a stop word that may also be half of a word whose other half the segmenter cut off. */
export function mayBind(char: string): boolean {
  return BINDING.has(char);
}

/** True for a folded word (not stemmed) that a query can do without. */
export function isStopWord(word: string): boolean {
  return STOP.has(word);
}
