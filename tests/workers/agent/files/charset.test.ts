import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText } from '../../../../workers/agent/files/charset.ts';

const decode = (text: string, encoding: string) => decodeText(iconv.encode(text, encoding));

describe('a file that is not UTF-8', () => {
  test.each([
    '你好世界\nabc\n',
    '标题\n',
    '部署完成\n',
    '你好，世界。这是测试。',
    '姓名,年龄\n张三,20\n李四,30',
    'title = "x"  # 标题\n',
    '# -*- coding: gbk -*-\nprint("你")\n',
    '是\n',
    '错误：磁盘空间不足（剩余 3 GB）\r\n请联系管理员。\r\n',
    '这是一份较长的中文文档，用来检查编码识别是否可靠：部署、回滚、监控、日志、告警等步骤都写在这里。\n'.repeat(5),
  ])('is read as GB18030 when it is: %j', async (text) => {
    for (const encoding of ['gbk', 'gb18030']) {
      const decoded = await decode(text, encoding);
      expect(decoded).toMatchObject({ text, encoding: 'gb18030' });
      const edited = `${text}完`;
      if (decoded.guessed !== true)
        expect(iconv.decode(await encodeText(edited, decoded, iconv.encode(text, encoding)), 'gbk')).toBe(edited);
    }
  });

  test.each([
    ['big5', '這是一個用於測試的繁體中文文件，內容包括許多常見的漢字與標點符號。'],
    ['big5', '部署完成，請稍候。'],
    ['shift_jis', 'これはテストです。'],
    ['shift_jis', 'これは日本語の文章です。文字コードを正しく判定できるかどうかを確認します。'],
    ['euc-jp', 'これはテストです。'],
    ['euc-jp', 'これは日本語の文章です。文字コードを正しく判定できるかどうかを確認します。'],
    ['euc-kr', '이것은 한국어 문서입니다. 문자 인코딩을 올바르게 감지하는지 확인합니다.'],
    ['windows-1251', 'Привет мир, это проверка кодировки текста для определения'],
    ['koi8-r', 'Привет мир, это проверка кодировки текста для определения'],
    ['latin1', 'Stra\u00dfe \u00fcber \u00c4pfel, gr\u00f6\u00dfer'],
    ['latin1', 'caf\u00e9\n'],
    ['latin1', 'd\u00e9j\u00e0 vu, \u00e0 bient\u00f4t, \u00e9l\u00e8ve, na\u00efve'],
  ])('%s is told apart: %s', async (encoding, text) => {
    expect((await decode(text, encoding)).text).toBe(text);
  });

  test('says its encoding itself, where the bytes fit', async () => {
    expect(await decode('# vim: set fileencoding=big5 :\n標題\n', 'big5')).toMatchObject({
      encoding: 'big5',
      text: expect.stringContaining('標題'),
    });
    expect((await decode('<?xml version="1.0" encoding="EUC-JP"?><a>日本</a>', 'euc-jp')).text).toContain('日本');
    expect((await decode('# coding: shift_jis\n# 部署完成了吗\n', 'gbk')).text).toContain('部署完成了吗');
  });

  test('whose encoding is a weak guess takes no new letters, and says why', async () => {
    const bytes = iconv.encode('caf\u00e9\n', 'latin1');
    const decoded = await decodeText(bytes);
    expect(decoded.guessed).toBe(true);
    await expect(encodeText('caf\u00e9 \u00fc\n', decoded, bytes)).rejects.toThrow(/not known for sure/);
    expect(await encodeText('caf\u00e9 two \u00e9\n', decoded, bytes)).toEqual(iconv.encode('caf\u00e9 two \u00e9\n', 'latin1'));
  });
});

test('a large file is told by a sample of it, also when its beginning is ASCII, and read whole', async () => {
  const text = `${'plain header\n'.repeat(30_000)}${'这是一行中文日志，内容很常见。\n'.repeat(200_000)}`;
  const heap = process.memoryUsage().heapUsed;
  const decoded = await decode(text, 'gbk');
  expect(decoded.encoding).toBe('gb18030');
  expect(decoded.text === text).toBe(true);
  // A teammate's thread is ended at 1 GB of heap; a pair of numbers for each character took that for 12 MB.
  expect(process.memoryUsage().heapUsed - heap).toBeLessThan(200_000_000);
});
