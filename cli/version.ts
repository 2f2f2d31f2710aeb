// The version of package.json, put in by the build.
declare const XZ_VERSION: string | undefined;

export const VERSION: string = typeof XZ_VERSION === 'string' ? XZ_VERSION : '0.0.0-source';
