import type { Plugin } from 'esbuild';

export function vscodeModule(typesFile: string): Plugin;
export function exportedNames(types: string): string[];
