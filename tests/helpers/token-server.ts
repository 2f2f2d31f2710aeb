// A stub of Kimi's servers on loopback: a token endpoint whose refresh tokens are single use, and one resource that
// wants a token which is good now. Everything asked of it is kept.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';

export interface TokenServer {
  readonly host: string;
  /** Refresh tokens in the order they were presented. */
  readonly presented: string[];
  readonly refused: string[];
  readonly headers: IncomingHttpHeaders[];
  /** Statuses the token endpoint answers first, before it works. */
  readonly faults: number[];
  issue(): { accessToken: string; refreshToken: string };
  isGood(accessToken: string): boolean;
}

/** `lifeMs` of each access token; `now` is the server's clock. */
export async function startTokenServer(lifeMs: number, now: () => number = Date.now): Promise<TokenServer> {
  const good = new Map<string, number>();
  const refresh = new Set<string>();
  const presented: string[] = [];
  const refused: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const faults: number[] = [];
  let count = 0;
  const issue = () => {
    const n = ++count;
    good.set(`access-${n}`, now() + lifeMs);
    refresh.add(`refresh-${n}`);
    return { accessToken: `access-${n}`, refreshToken: `refresh-${n}` };
  };
  const isGood = (accessToken: string) => (good.get(accessToken) ?? 0) > now();
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const piece of req.setEncoding('utf8')) body += piece;
    const send = (status: number, value: unknown) => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(value));
    };
    if (req.url !== '/api/oauth/token') {
      const token = req.headers.authorization?.replace(/^Bearer /, '') ?? '';
      return send(isGood(token) ? 200 : 401, {});
    }
    headers.push(req.headers);
    const fault = faults.shift();
    if (fault !== undefined) return send(fault, { error: 'scripted' });
    const form = new URLSearchParams(body);
    const given = form.get('refresh_token') ?? '';
    presented.push(given);
    if (form.get('grant_type') !== 'refresh_token' || !form.get('client_id') || !refresh.delete(given)) {
      refused.push(given);
      return send(401, { error: 'invalid_grant' });
    }
    const fresh = issue();
    send(200, {
      access_token: fresh.accessToken,
      refresh_token: fresh.refreshToken,
      expires_in: lifeMs / 1000,
      scope: 'kimi-code',
      token_type: 'Bearer',
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    host: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    presented,
    refused,
    headers,
    faults,
    issue,
    isGood,
  };
}
