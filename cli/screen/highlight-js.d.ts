// Stands in for the types of highlight.js (see `paths` in tsconfig.json), which bring a browser's types into the whole
// program and clash with Node's. Only lowlight's own types ask for them.
export type LanguageFn = (library: object) => object;
declare const grammar: LanguageFn;
export default grammar;
