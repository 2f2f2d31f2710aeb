// Where web_fetch may go, on every hop, and what web_search says.
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../store/clock.ts';
import { whyRefused } from '../../../../workers/agent/web/address.ts';
import { FETCH_LIMITS, fetchFollowing } from '../../../../workers/agent/web/follow.ts';
import { page, type Serve, startWebServer, webBench } from '../../../helpers/web-server.ts';

const moved =
  (to: string, status = 302): Serve =>
  (_req, res) =>
    void res.writeHead(status, { location: to }).end();

describe('addresses', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
    'http://inside.test:PORT/',
    'http://mapped.test:PORT/',
    'http://ⓛocalhost:PORT/',
    'localhost:PORT/x',
  ])('%s is refused, and nothing is sent', async (url) => {
    const server = await startWebServer({ '/': page('text/plain', 'secret') });
    const bench = webBench({
      allowPrivate: false,
      hosts: { 'inside.test': ['10.0.0.7', '127.0.0.1'], 'mapped.test': ['::ffff:127.0.0.1'] },
    });
    const result = await bench.fetch(url.replace('PORT', String(server.port)));
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/not a public address/) });
    expect(server.requests).toHaveLength(0);
  });

  test('are judged on what is dialled: of several only the public ones, and a name is asked once', async () => {
    const bench = webBench({ allowPrivate: false, hosts: { 'mixed.test': ['127.0.0.1', '10.0.0.1'] } });
    expect((await bench.fetch('http://mixed.test/')).text).toContain(
      'mixed.test resolves to 127.0.0.1, which is not a public address (loopback)',
    );
    expect(bench.resolved).toEqual(['mixed.test']);
  });

  test('allow_private opens them', async () => {
    const server = await startWebServer({ '/': page('text/plain', 'inside') });
    expect((await webBench({ allowPrivate: true }).fetch(`http://127.0.0.1:${server.port}/`)).text).toContain('\ninside\n');
  });

  test.each<[url: string, told: RegExp]>([
    ['file:///etc/passwd', /not http or https/],
    ['ftp://example.com/x', /not http or https/],
    ['javascript:alert(1)', /not http or https/],
    ['data:text/plain,x', /not http or https/],
    ['http://user:pass@site.test/', /user name or password/],
    ['http://', /not an address/],
    ['', /not an address/],
    ['http://nowhere.invalid/', /there is no host nowhere\.invalid/],
    ['http://site.test:1/', /could not be reached/],
  ])('%j is answered in words', async (url, told) => {
    expect(await webBench().fetch(url)).toMatchObject({ isError: true, text: expect.stringMatching(told) });
  });
});

describe('redirects', () => {
  test('are followed, and the last address is told', async () => {
    const server = await startWebServer({
      '/a': moved('/b?x=1', 301),
      '/b': moved('http://other.test:PORT/c', 308),
      '/c': page('text/plain', 'arrived'),
    });
    const at = await startWebServer({ '/start': moved(`http://other.test:${server.port}/c`), '/c': page('text/plain', 'no') });
    const { text } = await webBench().fetch(`${at.origin}/start`);
    expect(text).toContain(`redirected to http://other.test:${server.port}/c`);
    expect(text).toContain('\narrived\n');
  });

  test.each<[to: string, told: RegExp]>([
    ['http://127.0.0.3:1/', /127\.0\.0\.3 is not a public address/],
    ['http://169.254.169.254/latest/', /not a public address \(linkLocal\)/],
    ['http://inside.test/', /inside\.test resolves to 10\.0\.0\.7, which is not/],
    ['file:///etc/passwd', /redirects to file:\/\/\/etc\/passwd, which is not http/],
    ['http://u:p@elsewhere.test/', /user name or password/],
    ['http://', /which is no address/],
  ])('to %s are refused', async (to, told) => {
    const server = await startWebServer({ '/': moved('/next'), '/next': moved(to) });
    const resolved: string[] = [];
    const fetching = fetchFollowing({
      url: new URL(`http://site.test:${server.port}/`),
      headers: {},
      resolve: async (host) => {
        resolved.push(host);
        return [{ address: host === 'inside.test' ? '10.0.0.7' : '127.0.0.1', family: 4 }];
      },
      // One loopback address stands for the public web here; all others are judged as ever.
      judge: (address) => (address === '127.0.0.1' ? undefined : whyRefused(address)),
      limits: FETCH_LIMITS,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    await expect(fetching).rejects.toThrow(told);
    expect(server.requests).toHaveLength(2);
    expect(resolved.filter((host) => host === 'site.test')).toHaveLength(2);
  });

  test('without end are stopped', async () => {
    const server = await startWebServer({ '/': moved('/') });
    expect(await webBench().fetch(server.origin)).toMatchObject({ isError: true, text: expect.stringContaining('more than 10 times') });
    expect(server.requests).toHaveLength(11);
  });
});

describe('web_search', () => {
  const search = async (answer: (body: string) => readonly [status: number, body: string], key: string | undefined = 'tvly-key') => {
    let sent = '';
    const server = await startWebServer({
      '/search': async (req, res) => {
        for await (const chunk of req) sent += String(chunk);
        const [status, body] = answer(sent);
        res.writeHead(status, { 'content-type': 'application/json' }).end(body);
      },
    });
    const bench = webBench({ allowPrivate: false, tavily: { key, baseUrl: `http://127.0.0.1:${server.port}/` } });
    return { server, sent: () => sent, run: (args: object) => bench.call('web_search', { query: 'q', ...args }) };
  };

  test('gives title, address, summary and date', async () => {
    const results = [
      { title: 'One', url: 'https://a.example/1', content: 'first\nsummary', score: 0.9, published_date: '2026-03-01' },
      { title: null, url: 'https://a.example/2', content: null },
    ];
    const { run, sent, server } = await search(() => [200, JSON.stringify({ query: 'q', results, answer: null })]);
    const { text } = await run({ max_results: 99 });
    expect(text).toContain('1. One (2026-03-01)\n   https://a.example/1\n   first summary');
    expect(text).toContain('2. https://a.example/2\n   https://a.example/2');
    expect(text).toContain('untrusted');
    expect(JSON.parse(sent())).toMatchObject({ query: 'q', max_results: 20 });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer tvly-key');
  });

  test('asks for five by default, and says when nothing was found', async () => {
    const { run, sent } = await search(() => [200, '{"results":[]}']);
    expect((await run({})).text).toBe('nothing was found for "q"');
    expect(JSON.parse(sent())).toMatchObject({ max_results: 5 });
  });

  test.each<[status: number, body: string, told: RegExp]>([
    [401, '{"detail":{"error":"Unauthorized"}}', /answered 401[\s\S]*TAVILY_API_KEY/],
    [429, '{}', /wait a little/],
    [432, '{}', /limit of the person's Tavily plan/],
    [500, 'oops', /answered 500: oops[\s\S]*later/],
    [200, '<html>', /not JSON/],
    [200, '{"hits":[]}', /Tavily's answer/],
  ])('explains %i', async (status, body, told) => {
    const { run } = await search(() => [status, body]);
    expect(await run({})).toMatchObject({ isError: true, text: expect.stringMatching(told) });
  });

  test('without a key says what to set', async () => {
    const result = await webBench().call('web_search', { query: 'q' });
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/TAVILY_API_KEY[\s\S]*xz config set web\.tavily_api_key/) });
    expect((await webBench().call('web_search', { query: ' ' })).text).toContain('query is empty');
  });
});
