// Joins the small files that one start of the program reads anyway: each costs a cold start up to a millisecond, and the
// bundler makes a chunk of its own for every set of entries that share something. Paths through the program are named by
// the modules that are imported dynamically on them; files that lie on the same paths become one file.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Joins in `dist`, a flat folder that esbuild has just filled. `paths`: by a letter, the entry modules of each path. What a
 * file imports statically lies on every path the file lies on, so the joined files never import each other in a circle.
 */
export async function joinChunks({ dist, outputs, paths, external }) {
  const files = Object.fromEntries(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const fixed = ['main.js', 'teammate.js'];
  const signatures = new Map();
  for (const [letter, modules] of Object.entries(paths))
    for (const file of closureOf(files, modules)) if (!fixed.includes(file)) signatures.set(file, (signatures.get(file) ?? '') + letter);
  const groups = groupedBySignature(signatures);
  const homes = new Map([...signatures].map(([file, signature]) => [file, `joined-${signature}.js`]));
  for (const [signature, members] of groups) await joinOne(signature, members);
  for (const file of signatures.keys()) rmSync(join(dist, file));
  for (const file of [...Object.keys(files).filter((name) => !signatures.has(name)), ...new Set(homes.values())]) {
    const text = pointed(readFileSync(join(dist, file), 'utf8'), homes);
    const lost = /"\.\/(chunk-\w+\.js)"/g;
    for (const [, name] of text.matchAll(lost)) if (homes.has(name)) throw new Error(`${file} still imports ${name}`);
    writeFileSync(join(dist, file), text);
  }

  async function joinOne(signature, members) {
    const lines = members.flatMap((file) => {
      const names = files[file].exports.map((name) => `${name} as ${idOf(file)}_${name}`);
      const named = names.length === 0 ? `import './${file}';` : `export { ${names.join(', ')} } from './${file}';`;
      return files[file].entryPoint === undefined ? [named] : [named, `export * as ${idOf(file)} from './${file}';`];
    });
    await build({
      stdin: { contents: lines.join('\n'), resolveDir: dist },
      outfile: join(dist, `joined-${signature}.js`),
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      logLevel: 'warning',
      external,
      plugins: [onlyThese(new Set(members))],
    });
  }
}

function groupedBySignature(signatures) {
  const groups = new Map();
  for (const [file, signature] of signatures) groups.set(signature, [...(groups.get(signature) ?? []), file]);
  return groups;
}

/** The output files of some modules, with all they import statically. */
function closureOf(files, modules) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const { path, kind, external } of files[file].imports) if (kind === 'import-statement' && external !== true) visit(basename(path));
  };
  for (const module of modules) {
    const file = Object.keys(files).find((name) => files[name].entryPoint === module);
    if (file === undefined) throw new Error(`${module} is no entry of the bundle: is it still imported dynamically?`);
    visit(file);
  }
  return found;
}

/** Leaves every other file of the folder as an import. */
function onlyThese(members) {
  return {
    name: 'only-these',
    setup: (building) =>
      building.onResolve({ filter: /^\.\// }, ({ path }) => (members.has(path.slice(2)) ? undefined : { path, external: true })),
  };
}

const idOf = (file) => `from_${basename(file, '.js').replace(/\W/g, '_')}`;

/** A file's text with each import of a file that is gone pointed at where that now is. */
function pointed(text, homes) {
  return text
    .replace(/\bimport(?:\{([^}]*)\}from)?"\.\/([\w-]+\.js)"/g, (whole, names, file) => {
      const home = homes.get(file);
      if (home === undefined) return whole;
      if (names === undefined) return `import"./${home}"`;
      const renamed = names.split(',').map((part) => {
        const [name, local] = part.trim().split(/ as /);
        return `${idOf(file)}_${name} as ${local ?? name}`;
      });
      return `import{${renamed.join(',')}}from"./${home}"`;
    })
    .replace(/\bimport\("\.\/([\w-]+\.js)"\)/g, (whole, file) => {
      const home = homes.get(file);
      return home === undefined ? whole : `import("./${home}").then(m=>m.${idOf(file)})`;
    });
}
