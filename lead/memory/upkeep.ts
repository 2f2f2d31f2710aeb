// Memory's work after a turn: ask what is worth keeping, keep it, note contradictions, condense what grew too long. It
// runs beside the conversation, one turn after the other; it delays no answer and fails no turn.
import { errorFacts } from '../../store/errors.ts';
import { withoutProvenance } from '../../store/memory/document.ts';
import type { Memory, NewFact } from '../../store/memory/memory.ts';
import { queryTerms } from '../../store/search/terms.ts';
import type { Content } from '../../store/sessions/message.ts';
import type { MemoryModel } from './ask.ts';
import { askedToKeep, entryMeant, FACTS_SYSTEM, type Fact, FactsSchema, factsPrompt, judged, personTexts } from './facts.ts';
import type { TellMemory } from './notice.ts';
import { organize } from './organize.ts';

export interface UpkeepSetup {
  readonly memory: Memory;
  readonly model: MemoryModel;
  readonly maxEntries: number;
  readonly secrets: () => readonly string[];
  readonly now: () => number;
  /** Told what was kept, what contradicts, what went wrong. */
  readonly notice: TellMemory;
}

export interface Kept {
  /** Topics that got something. */
  readonly topics: readonly string[];
  readonly conflicts: number;
}

const ASK_MS = 60_000;
const MOST_FACTS = 8;
const NOTHING: Kept = { topics: [], conflicts: 0 };

/** Keeps what a person said in these messages of a session. Never throws; `failed` when it is worth another try later. */
export async function keepFacts(
  setup: UpkeepSetup,
  session: string,
  contents: readonly Content[],
  signal: AbortSignal,
): Promise<Kept | 'failed'> {
  const person = personTexts(contents);
  // "yes", "hi": no sentence, so nothing to keep and nobody to ask.
  if (queryTerms(person.join('\n')).length < 2) return NOTHING;
  try {
    const topics = setup.memory.topics();
    const answer = await setup.model.ask({
      system: FACTS_SYSTEM,
      prompt: factsPrompt(contents, topics),
      schema: FactsSchema,
      ms: ASK_MS,
      signal,
    });
    if (answer.why !== undefined) {
      const asked = signal.aborted ? [] : askedToKeep(person);
      if (!answer.silent) setup.notice({ kind: 'not_kept', asked: asked.length > 0, why: { text: answer.why } });
      if (asked.length > 0) return await keepAll(setup, session, asked, person, signal);
      return answer.failed ? 'failed' : NOTHING;
    }
    return await keepAll(setup, session, answer.value.facts.slice(0, MOST_FACTS), person, signal);
  } catch (error) {
    if (!signal.aborted) setup.notice({ kind: 'no_more_kept', why: errorFacts(error) });
    return 'failed';
  }
}

async function keepAll(
  setup: UpkeepSetup,
  session: string,
  facts: readonly Fact[],
  person: readonly string[],
  signal: AbortSignal,
): Promise<Kept> {
  const touched = new Set<string>();
  let conflicts = 0;
  let secrets = 0;
  for (const fact of facts) {
    const verdict = judged(fact, person, setup.secrets());
    if (verdict === 'secret') secrets++;
    if (verdict !== 'kept' || fact.relation === 'same') continue;
    const done = await keepOne(setup, session, fact, signal);
    if (done === 'conflict') conflicts++;
    else if (done !== undefined) touched.add(done);
  }
  if (touched.size > 0) setup.notice({ kind: 'kept', topics: [...touched] });
  if (conflicts > 0) {
    const waiting = setup.memory.conflicts().slice(-conflicts);
    for (const { id, category, topic, old, new: said } of waiting)
      setup.notice({ kind: 'contradiction', id, topic: `${category}/${topic}`, older: old.text, newer: said.text });
  }
  if (secrets > 0) setup.notice({ kind: 'secret' });
  if (touched.size > 0 && !signal.aborted)
    await organize({ memory: setup.memory, model: setup.model, maxEntries: setup.maxEntries }, signal, [...touched]);
  return { topics: [...touched], conflicts };
}

/** The topic it went to, `conflict`, or undefined when it was known already. */
async function keepOne(setup: UpkeepSetup, session: string, fact: Fact, signal: AbortSignal): Promise<string | undefined> {
  const { memory } = setup;
  const made: NewFact = { category: fact.category, topic: fact.topic, content: fact.fact.trim(), session, at: setup.now() };
  if (fact.relation === 'contradicts' && fact.entry !== undefined) {
    const entry = fact.entry;
    const topics = memory.topics();
    const near = [...topics.filter(({ category, title }) => category === fact.category && title === fact.topic), ...topics];
    for (const topic of near) {
      const old = entryMeant(topic, entry);
      if (old === undefined || withoutProvenance(old) === made.content) continue;
      return (await memory.addConflict({ topic, old, fact: made }, signal)) ? 'conflict' : undefined;
    }
  }
  const { state, name } = await memory.append(made, signal);
  return state === 'added' ? name : undefined;
}
