// Some models now and then write a tool call into their text, in the marks that they were trained on. Nothing runs, and the
// turn would end there with the marks as its answer (seen with Kimi, Qwen, GLM, DeepSeek and Claude models).

/** Marks that only a model's own template writes. */
const TEMPLATE = /<\|tool_calls?_(section_)?begin\|>|<\|open\|>tools?call\b|<｜(tool▁calls?▁begin|DSML)｜|^\s*\[TOOL_CALLS\]\s*\[/m;
/** A call in tags, at the end of the text. */
const TAGGED =
  /^[^\S\n]*<(tool_call|function_calls?|(antml:)?invoke name="|function=|tool_use)[\s\S]*<\/((antml:)?(invoke|function_calls?)|tool_call|function|tool_use)>\s*$(?![\s\S])/m;

/** True for a text that is, or ends with, a tool call written out. What stands in code is talked about, not called. */
export function writesCall(text: string): boolean {
  const outside = text.replace(/^( {0,3})(`{3,}|~{3,})[\s\S]*?(^ {0,3}\2|$(?![\s\S]))/gm, '').replace(/`[^`\n]*`/g, '');
  return TEMPLATE.test(outside) || TAGGED.test(outside);
}

/** What the model is told. */
export const WRITTEN_CALL =
  'Your reply holds a tool call written as text. Nothing was run. Make the call itself, through the tool interface, or answer without such marks.';
