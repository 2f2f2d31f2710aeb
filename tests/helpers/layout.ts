// A layout of a folder with its own private home, for tests of stores.
import { join } from 'node:path';
import { homeLayout, type Layout, layoutOf } from '../../store/layout.ts';

/** The layout of `root`; the home is `<root>/../home-of-test` unless given. */
export function testLayout(root: string, home = join(root, '..', 'home-of-test')): Layout {
  return layoutOf(root, homeLayout({ XZ_HOME: home }));
}
