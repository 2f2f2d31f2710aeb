// What the reducer asks for, done: the conversation is spoken to, slash commands run, editors opened. Whatever fails is
// shown to the person; nothing here throws.
import type { Conversation } from '../../lead/conversation.ts';
import { errorFacts } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import type { SlashContext } from '../slash/command.ts';
import type { StorePorts } from '../slash/ports.ts';
import { runSlash } from '../slash/registry.ts';
import { editOutside } from './external-editor.ts';
import { inputKeeper } from './input-history.ts';
import type { ConversationEffect, Picker, ScreenEvent } from './state.ts';
import { listWorkspaceFiles } from './workspace-files.ts';

export interface EffectInput {
  readonly app: App;
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  readonly dispatch: (event: ScreenEvent) => void;
  /** Model, mode, queue and questions may have changed. */
  readonly refresh: () => void;
  /** The slash commands and skills are to be read anew. */
  readonly commands: () => void;
  readonly memoryChanged: () => void;
  /** Runs `fn` with the terminal given back to the person, and takes it again. */
  readonly outside: <T>(fn: () => Promise<T>) => Promise<T>;
  readonly exit: (code: number) => void;
}

/** The way to execute effects of one screen. */
export function effectRunner(input: EffectInput): (effect: ConversationEffect) => void {
  const { app, conversation, dispatch, refresh } = input;
  const waiting = new Map<string, (value: string | undefined) => void>();
  let pickers = 0;
  const fail = (error: unknown) => {
    dispatch({ type: 'failed', ...app.text.errors.say(errorFacts(error)), at: app.clock.now() });
  };
  const remember = inputKeeper(app.home().inputHistory, fail);
  const guarded = (work: () => Promise<unknown>) => {
    void (async () => {
      try {
        await work();
      } catch (error) {
        fail(error);
      }
      refresh();
    })();
  };
  const say = (command: string) => (text: string) => dispatch({ type: 'output', command, text, at: app.clock.now() });
  const pick = (title: string, items: Picker['items']): Promise<string | undefined> =>
    new Promise((resolve) => {
      const id = `pick-${++pickers}`;
      waiting.set(id, resolve);
      dispatch({ type: 'pick', picker: { id, title, items, selected: 0, filter: '' } });
    });
  const slash = async (line: string) => {
    const context: SlashContext = {
      ...{ app, conversation, stores: input.stores, pick, say: say(line.split('\n')[0] ?? line) },
      memoryChanged: input.memoryChanged,
      sessionChanged: () => dispatch({ type: 'session', id: conversation.session(), rows: conversation.rows() }),
    };
    if ((await runSlash(context, line)) === 'leave') input.exit(0);
  };
  const teammate = async (effect: Extract<ConversationEffect, { type: 'teammate' }>) => {
    const { name, action } = effect;
    const words = app.text.screen;
    if (action === 'interrupt') {
      await conversation.team.interrupt(name);
      say('')(words.done.interrupted(name));
    } else if (action === 'merge') {
      say(`/team merge ${name}`)(app.text.errors.told(await conversation.team.merge(name)));
    } else {
      const sure = await pick(words.release(name), [
        { value: 'yes', label: words.releaseYes },
        { value: 'no', label: words.releaseNo },
      ]);
      if (sure === 'yes') say(`/team release ${name}`)(app.text.errors.told(await conversation.team.release(name)));
    }
  };
  return (effect) => {
    switch (effect.type) {
      case 'submit':
        return guarded(async () => conversation.submit(effect.text));
      case 'slash':
        return guarded(() => slash(effect.line));
      case 'remember':
        return remember(effect.text);
      case 'interrupt':
        return guarded(async () => {
          await conversation.interrupt();
          dispatch({ type: 'interrupted' });
        });
      case 'take_back': {
        const text = conversation.takeBack();
        if (text !== undefined) dispatch({ type: 'taken_back', text });
        return refresh();
      }
      case 'answer':
        return guarded(async () => conversation.answer(effect.id, effect.verdict));
      case 'message':
        return guarded(async () => {
          await conversation.team.message(effect.name, effect.text);
          say('')(app.text.screen.done.message(effect.name));
        });
      case 'teammate':
        return guarded(() => teammate(effect));
      case 'open_transcript':
        return guarded(async () => dispatch({ type: 'transcript', name: effect.name, rows: conversation.team.transcript(effect.name) }));
      case 'picked':
        waiting.get(effect.picker)?.(effect.value);
        waiting.delete(effect.picker);
        return;
      case 'list_files':
        return guarded(async () => dispatch({ type: 'files', items: await listWorkspaceFiles(app.layout().root, app.env) }));
      case 'list_commands':
        return guarded(async () => input.commands());
      case 'external_editor':
        return guarded(async () => {
          const text = await input.outside(() => editOutside(effect.text, app.home().root, app.env));
          dispatch({ type: 'edited', text });
        });
    }
  };
}
