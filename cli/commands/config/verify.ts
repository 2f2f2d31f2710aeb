// `xz config verify`: is the model there, does it stream, does it call tools, do embeddings work. One real request each.
import { type Config, inspectConfig } from '../../../store/config/config.ts';
import { problemText } from '../../../store/config/problem.ts';
import { resolveEmbedding, resolveModel } from '../../../store/config/resolve.ts';
import { errorFacts } from '../../../store/errors.ts';
import { authOf, modelSettings } from '../../../workers/agent/model/from-config.ts';
import { openModel } from '../../../workers/agent/model/model.ts';
import { type Probe, probeEmbedding, probeModel } from '../../../workers/agent/model/probe.ts';
import type { App } from '../../compose.ts';
import type { RunCommand } from '../../table/command.ts';
import type { SayError } from '../../text/errors.ts';

const LIMIT_MS = 120_000;

type Outcome<T> = { readonly value: T } | { readonly error: string; readonly hint?: string };

export const runConfigVerify: RunCommand = async (app) => {
  const config = await app.config();
  const { unknown } = await inspectConfig(await app.configInput());
  for (const problem of unknown) app.print.warn(`xz: ${app.text.errors.told(problemText(problem))}`);
  const resolved = resolveModel(config, 'main');
  const model = openModel(modelSettings(resolved, app.identity()), app.clock);
  const signal = AbortSignal.timeout(LIMIT_MS);
  const probe = await outcome(app.text.errors.say, () => probeModel(model, app.clock, signal));
  const embedding = await outcome(app.text.errors.say, () => verifyEmbedding(app, config, signal));
  const ok = 'value' in probe && 'value' in embedding;
  if (app.print.json) {
    app.print.value({
      ok,
      provider: resolved.provider,
      model: resolved.model,
      baseUrl: resolved.baseUrl,
      completion: 'value' in probe ? { ok: true, ...probe.value } : { ok: false, error: probe.error },
      embedding: 'value' in embedding ? { ok: true, ...embedding.value } : { ok: false, error: embedding.error },
    });
    return ok ? 0 : 1;
  }
  const { print, text } = app;
  print.line(text.config.asking(resolved.model, resolved.baseUrl));
  if ('value' in probe) printProbe(app, probe.value);
  else printFailure(app, probe);
  if ('value' in embedding)
    print.line(
      embedding.value.model === null
        ? text.config.embeddingBuiltIn
        : text.config.embeddingOk(embedding.value.model, embedding.value.dimensions ?? 0),
    );
  else printFailure(app, embedding);
  return ok ? 0 : 1;
};

async function verifyEmbedding(
  app: App,
  config: Config,
  signal: AbortSignal,
): Promise<{ readonly model: string | null; readonly dimensions: number | null }> {
  const endpoint = resolveEmbedding(config);
  if (endpoint === undefined) return { model: null, dimensions: null };
  return { model: endpoint.model, dimensions: await probeEmbedding(endpoint, await authOf(endpoint.auth, app.identity()), signal) };
}

async function outcome<T>(say: SayError, run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    const { text, hint } = say(errorFacts(error));
    return { error: text, ...(hint !== undefined && { hint }) };
  }
}

function printProbe(app: App, probe: Probe): void {
  app.print.line(app.text.config.answered(Math.round(probe.firstTokenMs), Math.round(probe.totalMs)));
  app.print.line(probe.calledTool ? app.text.config.toolCalled : app.text.config.toolNotCalled);
}

function printFailure(app: App, { error, hint }: { readonly error: string; readonly hint?: string }): void {
  app.print.warn(`xz: ${error}`);
  if (hint !== undefined) app.print.warn(`${app.text.common.hint}: ${hint}`);
}
