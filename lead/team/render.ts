// What the lead reads of a result: what the teammate claims, and beside it what was observed. Pure.
import { Type } from 'typebox';
import type { Mail } from '../../mailbox/message.ts';
import { parserOf } from '../../store/schema.ts';
import type { Evidence } from '../../workers/evidence.ts';

const EvidenceSchema = Type.Object({
  commands: Type.Array(Type.Object({ command: Type.String(), exitCode: Type.Union([Type.Number(), Type.Null()]) })),
  diffstat: Type.String(),
  files: Type.Array(Type.String()),
  tests: Type.Array(Type.String()),
  tokens: Type.Number(),
  costUsd: Type.Union([Type.Number(), Type.Null()]),
  seconds: Type.Number(),
});
const evidenceParser = parserOf(EvidenceSchema, 'evidence');

/** The evidence of a result mail, when it carries any. */
export function evidenceIn(mail: Mail): Evidence | undefined {
  const evidence = mail.data?.evidence;
  return evidenceParser.fits(evidence) ? evidence : undefined;
}

/** One mail to the lead as text. */
export function renderMail(mail: Mail): string {
  if (mail.type !== 'result') return `[${mail.type[0]?.toUpperCase()}${mail.type.slice(1)} from ${mail.from}] ${mail.body}`;
  const stop = mail.data?.stopReason;
  const ended = typeof stop === 'string' && stop !== 'done' ? ` — NOT completed (${stop})` : '';
  return [
    `[Result from ${mail.from}${mail.taskId === undefined ? '' : ` · task ${mail.taskId}`}${ended}]`,
    'Claimed:',
    mail.body.trim() || '(nothing)',
    `Observed: ${observed(evidenceIn(mail), mail.data?.unlanded === true)}`,
  ].join('\n');
}

/** Evidence in one paragraph. */
export function observed(evidence: Evidence | undefined, unlanded: boolean): string {
  if (evidence === undefined) return 'nothing was recorded';
  const { commands, diffstat, files, tests, tokens, costUsd, seconds } = evidence;
  const parts = [
    commands.length === 0
      ? 'no command was run'
      : commands.map((one) => `${one.command.split('\n')[0]} → exit ${one.exitCode ?? 'unknown'}`).join('; '),
    ...(tests.length > 0 ? [`tests: ${tests.join(' / ')}`] : []),
    diffstat || (files.length > 0 ? `files: ${files.join(', ')}` : 'no file changed'),
    `${tokens} tokens`,
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(4)}`]),
    `${seconds} s`,
    ...(unlanded ? ['not landed yet: merge_teammate lands it'] : []),
  ];
  return parts.join(' · ');
}
