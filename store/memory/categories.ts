// The five categories of `.MEMORY/`: each is one file, and no topic is ever written anywhere else.
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Layout } from '../layout.ts';

export const CategorySchema = Type.Union([
  Type.Literal('long'),
  Type.Literal('short'),
  Type.Literal('work'),
  Type.Literal('personal_prefer'),
  Type.Literal('general'),
]);

export type Category = Static<typeof CategorySchema>;

export const CATEGORIES: readonly Category[] = ['long', 'short', 'work', 'personal_prefer', 'general'];

/** The category of that name, or undefined. */
export function categoryNamed(name: string): Category | undefined {
  return CATEGORIES.find((category) => category === name);
}

/** The file of a category. */
export function categoryFile(layout: Layout, category: Category): string {
  return join(layout.memory, `${category}.md`);
}

/** How the file is named to people, by search and in the index. */
export function categorySource(category: Category): string {
  return `.MEMORY/${category}.md`;
}
