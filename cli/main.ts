#!/usr/bin/env node
// The program's first lines. Placeholder until the command table lands in the next commits.
console.log('0.1.0');
