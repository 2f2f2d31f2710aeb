// Model and web requests where the environment names a proxy; the names of the servers mean nothing without it.
import { afterEach, expect, test } from 'vitest';
import { takeProxiesFrom } from '../../../../store/proxies.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { listModels } from '../../../../workers/agent/model/probe.ts';
import { inOrder, startModelServer } from '../../../helpers/model-server.ts';
import { portOf, startProxy } from '../../../helpers/proxy-server.ts';
import { page, startWebServer, webBench } from '../../../helpers/web-server.ts';
import { ask, settingsFor, user } from './asking.ts';

afterEach(() => takeProxiesFrom({}));

const HERE = { url: 'http://model.test/v1', anthropicUrl: 'http://model.test' };

test('a model is asked through the proxy, again and again, and its list of models too', async () => {
  const server = await startModelServer(inOrder({ text: 'one' }, { text: 'two' }));
  const proxy = await startProxy({ hosts: { 'model.test': portOf(server.url) }, credentials: 'me:p@ss' });
  takeProxiesFrom({ HTTP_PROXY: proxy.url.replace('//', '//me:p%40ss@') });
  const model = openModel(settingsFor(HERE));
  expect((await ask(model, [user('hi')])).content.parts).toEqual([{ type: 'text', text: 'one' }]);
  expect((await ask(model, [user('hi')])).content.parts).toEqual([{ type: 'text', text: 'two' }]);
  expect(await listModels('openai-completions', HERE.url, {}, new AbortController().signal)).toEqual(['scripted']);
  expect(proxy.asked).toEqual([
    'POST http://model.test/v1/chat/completions',
    'POST http://model.test/v1/chat/completions',
    'GET http://model.test/v1/models',
  ]);
});

test('a server on this machine, and one that NO_PROXY names, is asked directly', async () => {
  const server = await startModelServer();
  const proxy = await startProxy({ hosts: {} });
  takeProxiesFrom({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
  expect((await ask(openModel(settingsFor(server)), [user('hi')])).content.parts).toEqual([{ type: 'text', text: 'ok' }]);
  takeProxiesFrom({ HTTP_PROXY: proxy.url, NO_PROXY: 'model.test' });
  await expect(ask(openModel(settingsFor(HERE)), [user('hi')])).rejects.toThrow(/model\.test.*cannot be reached.*(ENOTFOUND|EAI_AGAIN)/);
  expect(proxy.asked).toEqual([]);
});

test('what a proxy is the reason of is told with its name', async () => {
  takeProxiesFrom({ HTTP_PROXY: 'http://127.0.0.1:9' });
  const model = openModel(settingsFor(HERE));
  await expect(ask(model, [user('hi')])).rejects.toThrow('by way of the proxy 127.0.0.1:9: connect ECONNREFUSED');
  const proxy = await startProxy({ hosts: {}, credentials: 'me:pass' });
  takeProxiesFrom({ HTTP_PROXY: proxy.url });
  await expect(ask(model, [user('hi')])).rejects.toThrow('407 who are you?');
  takeProxiesFrom({ HTTP_PROXY: 'socks5://127.0.0.1:9' });
  await expect(ask(model, [user('hi')])).rejects.toThrow('HTTP_PROXY names no HTTP proxy (socks5)');
});

test('a page is fetched through the proxy, unless its name leads to this machine', async () => {
  const web = await startWebServer({ '/': page('text/plain', 'hello') });
  const proxy = await startProxy({ hosts: { 'page.test': web.port, 'made-up.test': web.port, 'inside.test': web.port } });
  takeProxiesFrom({ HTTP_PROXY: proxy.url });
  const bench = webBench({
    allowPrivate: false,
    resolve: async (host) => {
      if (host === 'page.test') throw new Error('ENOTFOUND');
      return [{ address: host === 'made-up.test' ? '198.18.0.7' : '10.0.0.7', family: 4 }];
    },
  });
  expect((await bench.fetch('http://page.test/')).text).toContain('hello');
  expect((await bench.fetch('http://made-up.test/')).text).toContain('hello');
  for (const url of ['http://inside.test/', 'http://10.0.0.7/', `http://127.0.0.1:${web.port}/`])
    expect((await bench.fetch(url)).text, url).toContain('is not a public address');
  expect(proxy.asked).toEqual(['GET http://page.test/', 'GET http://made-up.test/']);
});
