// Slash commands over the stores: tasks, memory, the schedule, skills.
import { XzError } from '../../store/errors.ts';
import { shortMoment } from '../screen/panes/figures.ts';
import type { SlashCommand, SlashContext } from './command.ts';
import { markdownTable } from './table.ts';

/** The store, or the error that tells the person it is not there. */
function need<T>(store: T | undefined, context: SlashContext): T {
  if (store === undefined) throw new XzError('not_configured', context.app.text.slash.notHere);
  return store;
}

function usage(context: SlashContext, line: string): XzError {
  return new XzError('bad_input', context.app.text.slash.usage(line));
}

const TASK_USAGE = '/task [show ID|update ID STATE or PRIORITY|archive ROOT|clear]';

export const taskCommand: SlashCommand = {
  name: 'task',
  help: (t) => t.slash.help.task,
  args: '[show ID|update ID …|archive ROOT|clear]',
  choices: ['show', 'update', 'archive', 'clear'],
  async run(context, [action, id, change]) {
    const tasks = need(context.stores.tasks, context);
    const words = context.app.text.slash;
    const { say } = context;
    switch (action) {
      case undefined: {
        const rows = tasks
          .list()
          .map((task) => [
            task.id,
            `${words.task.state(task.state)}${task.landed === false ? `, ${words.team.unfinished}` : ''}`,
            task.assignee ?? '—',
            task.waitingFor.join(', ') || '—',
          ]);
        say(rows.length === 0 ? words.none : markdownTable(words.task.head, rows));
        return 'stay';
      }
      case 'show':
        if (id === undefined) throw usage(context, TASK_USAGE);
        say(tasks.show(id));
        return 'stay';
      case 'update':
        if (id === undefined || change === undefined) throw usage(context, TASK_USAGE);
        say(words.task.updated(await tasks.update(id, change)));
        return 'stay';
      case 'archive':
        if (id === undefined) throw usage(context, TASK_USAGE);
        say(words.task.archived(await tasks.archive(id)));
        return 'stay';
      case 'clear': {
        const sure = await context.pick(words.task.clearAsk, [
          { value: 'no', label: words.task.clearNo },
          { value: 'yes', label: words.task.clearYes },
        ]);
        if (sure === 'yes') say(words.task.cleared(await tasks.clear()));
        return 'stay';
      }
      default:
        // `/task lexer` is what people type when they mean `/task show lexer`.
        say(tasks.show(action));
        return 'stay';
    }
  },
};

const MEMORY_USAGE = '/memory [show TOPIC|forget TOPIC|organize|resolve [ID new|old|merge]|on|off]';

export const memoryCommand: SlashCommand = {
  name: 'memory',
  help: (t) => t.slash.help.memory,
  args: '[show|forget|organize|resolve|on|off]',
  choices: ['show', 'forget', 'organize', 'resolve', 'on', 'off'],
  async run(context, [action = 'show', ...rest]) {
    const words = context.app.text.slash;
    if (action === 'on' || action === 'off') {
      context.conversation.setMemory(action === 'on');
      context.memoryChanged();
      context.say(action === 'on' ? words.memory.on : words.memory.off);
      return 'stay';
    }
    const memory = need(context.stores.memory, context);
    const topic = rest.join(' ');
    switch (action) {
      case 'show': {
        if (topic !== '') context.say(memory.show(topic));
        else {
          if (!context.conversation.memoryOn())
            context.say((await context.app.config()).memory.enabled ? words.memory.off : words.memory.offInSettings);
          const conflicts = memory.conflicts().length;
          const list = memory.topics().map((one) => `- ${one}`);
          const more = conflicts > 0 ? `\n\n${words.memory.conflicts(conflicts)}: \`/memory resolve\`` : '';
          context.say(list.length === 0 ? words.none : `**${words.memory.topics}**\n\n${list.join('\n')}${more}`);
        }
        return 'stay';
      }
      case 'forget': {
        const chosen = topic !== '' ? topic : await pickTopic(context, memory.topics());
        if (chosen !== undefined) context.say(words.memory.forgotten(await memory.forget(chosen)));
        return 'stay';
      }
      case 'organize':
        context.say(await need(memory.organize, context)());
        return 'stay';
      case 'resolve':
        await resolveConflicts(context, rest);
        return 'stay';
      default:
        throw usage(context, MEMORY_USAGE);
    }
  },
};

function pickTopic(context: SlashContext, topics: readonly string[]): Promise<string | undefined> {
  if (topics.length === 0) {
    context.say(context.app.text.slash.none);
    return Promise.resolve(undefined);
  }
  return context.pick(
    context.app.text.slash.memory.topics,
    topics.map((value) => ({ value, label: value })),
  );
}

/** Asks about each contradiction that waits, or about the one named; a choice behind its name is taken unasked. */
async function resolveConflicts(context: SlashContext, given: readonly string[]): Promise<void> {
  const memory = need(context.stores.memory, context);
  const words = context.app.text.slash.memory;
  const [id, choice] = given.filter((word) => word !== '--keep');
  if (id !== undefined && isKeep(choice)) return context.say((await memory.resolve(id, choice)) || words.resolved);
  if (choice !== undefined) throw usage(context, MEMORY_USAGE);
  const waiting = memory.conflicts();
  const conflicts = id === undefined ? waiting : waiting.filter((conflict) => conflict.id.startsWith(id));
  if (conflicts.length === 0) context.say(words.noConflicts);
  for (const conflict of conflicts) {
    const keep = await context.pick(conflict.topic, [
      { value: 'new', label: words.keep.new, detail: conflict.newer },
      { value: 'old', label: words.keep.old, detail: conflict.older },
      { value: 'merge', label: words.keep.merge },
    ]);
    if (!isKeep(keep)) return;
    context.say((await memory.resolve(conflict.id, keep)) || words.resolved);
  }
}

function isKeep(word: string | undefined): word is 'new' | 'old' | 'merge' {
  return word === 'new' || word === 'old' || word === 'merge';
}

export const crontabCommand: SlashCommand = {
  name: 'crontab',
  help: (t) => t.slash.help.crontab,
  args: '[delete ID]',
  choices: ['delete'],
  async run(context, [action, id]) {
    const schedule = need(context.stores.schedule, context);
    const words = context.app.text.slash;
    if (action === 'delete') {
      const items = schedule.list().map((row) => ({ value: row.id, label: row.id, detail: row.description }));
      if (id === undefined && items.length === 0) context.say(words.none);
      const chosen = id ?? (items.length === 0 ? undefined : await context.pick(words.help.crontab, items));
      if (chosen !== undefined) context.say(words.cron.removed(schedule.remove(chosen)));
      return 'stay';
    }
    if (action !== undefined) throw usage(context, '/crontab [delete ID]');
    const now = context.app.clock.now();
    const rows = schedule
      .list()
      .map((row) => [
        row.id,
        row.description,
        row.nextRun === undefined || !row.enabled ? '—' : shortMoment(row.nextRun, now),
        row.lastStatus === undefined ? '—' : context.app.text.schedule.status(row.lastStatus),
      ]);
    context.say(rows.length === 0 ? words.none : markdownTable(words.cron.head, rows));
    return 'stay';
  },
};

export const skillCommand: SlashCommand = {
  name: 'skill',
  help: (t) => t.slash.help.skill,
  async run(context) {
    const skills = need(context.stores.skills, context).list();
    const list = skills.map((skill) => `- **/${skill.name}** ${skill.description}`);
    context.say(list.length === 0 ? context.app.text.slash.none : list.join('\n'));
    return 'stay';
  },
};
