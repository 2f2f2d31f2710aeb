import { expect, test } from 'vitest';
import { paintedRows } from './cells.ts';
import { svgOf } from './svg.ts';

const ON = '\x1b[38;2;216;212;203m\x1b[48;2;23;24;26m';

function picture(captured: string): string {
  return svgOf({ rows: paintedRows(captured), columns: 40, cursor: { x: 2, y: 0, shown: true }, title: 'a <picture>' });
}

test('wide characters take two columns and what follows them stands behind', () => {
  const svg = picture(`${ON}> 部署 ok`);
  expect(svg).toMatch(/x="12"[^>]*>&gt;</);
  expect(svg).toMatch(/x="28"[^>]*textLength="32">部署</);
  expect(svg).toMatch(/x="68"[^>]*textLength="16">ok</);
});

test('looks go on over rows, backgrounds of their own are blocks, borders are shapes', () => {
  const svg = picture(`${ON}a\x1b[1m\nb\x1b[0m\x1b[38;2;1;2;3m\x1b[48;2;9;9;9m x│`);
  expect(svg).toContain('font-weight:700');
  expect(svg).toMatch(/<rect x="20" y="29" width="24" height="17" fill="#090909"\/>/);
  expect(svg).not.toContain('│');
  expect(svg).toContain('<title>a &lt;picture&gt;</title>');
});

test('a look that a picture could not show is an error, not a wrong picture', () => {
  expect(() => paintedRows('\x1b[38;5;3mx')).toThrow('not 24 bit');
  expect(() => paintedRows('\x1b[5mx')).toThrow('unknown look');
});
