import { describe, expect, it, test } from 'vitest';
import { proxySecrets } from '../../store/proxies.ts';
import { proxyFor } from '../../store/proxy-rules.ts';

const PROXY = 'http://127.0.0.1:7890';
const proxied = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.href;

test('each protocol has its variable, small letters first, and one for all of them', () => {
  const env = { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2', HTTP_PROXY: 'c:3', ALL_PROXY: 'http://d:4' };
  expect(proxied('https://x.com/', env)).toBe('http://b:2/');
  expect(proxied('http://x.com/', env)).toBe('http://c:3/');
  expect(proxied('https://x.com/', { ALL_PROXY: 'http://d:4' })).toBe('http://d:4/');
  expect(proxied('https://x.com/', { HTTP_PROXY: PROXY })).toBeUndefined();
  expect(proxied('https://x.com/', { HTTPS_PROXY: '' })).toBeUndefined();
});

it.each(['http://localhost:1/', 'http://api.localhost/', 'https://127.0.0.1/', 'http://127.8.8.8:80/', 'http://[::1]:3000/'])(
  'this machine itself is reached directly: %s',
  (url) => {
    expect(proxied(url, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY })).toBeUndefined();
  },
);

describe('NO_PROXY', () => {
  it.each([
    ['*', 'https://x.com/'],
    ['a.com, x.com', 'https://x.com/'],
    ['x.com', 'https://api.x.com/'],
    ['.x.com', 'https://x.com/'],
    ['*.x.com', 'https://a.b.x.com/'],
    ['X.COM:8443', 'https://x.com:8443/'],
    ['x.com:443', 'https://x.com/'],
    ['10.0.0.0/8', 'https://10.1.2.3/'],
    ['192.168.1.5', 'http://192.168.1.5:11434/'],
    ['fd00::/8', 'http://[fd00::1]/'],
    ['[fd00::1]:80', 'http://[fd00::1]/'],
  ])('%s covers %s', (list, url) => {
    expect(proxied(url, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: list })).toBeUndefined();
  });
  it.each([
    ['', 'https://x.com/'],
    [',', 'https://x.com/'],
    ['x.com', 'https://ax.com/'],
    ['x.com:80', 'https://x.com/'],
    ['10.0.0.0/8', 'https://11.1.2.3/'],
    ['10.0.0.0/8', 'https://x10.com/'],
    ['nonsense/99', 'https://x.com/'],
  ])('%s does not cover %s', (list, url) => {
    expect(proxied(url, { HTTPS_PROXY: PROXY, no_proxy: list })).toBe(`${PROXY}/`);
  });
});

test('a proxy of another kind is named, with what to do; one for all programs is left to the others', () => {
  expect(() => proxied('https://x.com/', { HTTPS_PROXY: 'socks5://127.0.0.1:7891' })).toThrow('HTTPS_PROXY names no HTTP proxy (socks5)');
  expect(proxied('https://x.com/', { ALL_PROXY: 'socks5://127.0.0.1:7891' })).toBeUndefined();
  expect(proxied('https://x.com/', { HTTPS_PROXY: PROXY, ALL_PROXY: 'socks5://127.0.0.1:7891' })).toBe(`${PROXY}/`);
  expect(proxied('https://x.com/', { HTTPS_PROXY: 'socks5://127.0.0.1:7891', NO_PROXY: 'x.com' })).toBeUndefined();
});

test('the password of a proxy is a secret in both ways of writing it', () => {
  expect(proxySecrets({ HTTPS_PROXY: 'http://me:p%40ss-word@h:1', HTTP_PROXY: 'me:other-pass@h:1', ALL_PROXY: PROXY })).toEqual([
    ...['p%40ss-word', 'p@ss-word', 'other-pass', 'other-pass'],
  ]);
});
