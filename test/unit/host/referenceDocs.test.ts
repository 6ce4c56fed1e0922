import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../../scripts/referenceDocs.mjs';
import { slashCommands } from '../../../src/webview/chat/composer/slashCommands';

const pages = referencePages(process.cwd());

describe('the reference pages for commands and settings', () => {
  it.each(Object.entries(pages))('%s matches the output of npm run docs', (name, text) => {
    expect(fs.readFileSync(name, 'utf8')).toBe(text);
  });

  it('name every slash command', () => {
    const named = [...(pages['docs/commands.md'] ?? '').matchAll(/^\| `\/(\w+)` \|/gm)].map((match) => match[1]);
    expect(named).toEqual(slashCommands.map(({ name }) => name));
  });

  it('name every setting', () => {
    const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { deprecationMessage?: string }> }[] };
    };
    const settings = manifest.contributes.configuration.flatMap(({ properties }) =>
      Object.entries(properties).flatMap(([name, { deprecationMessage }]) => (deprecationMessage ? [] : [name])),
    );
    expect([...(pages['docs/settings.md'] ?? '').matchAll(/^### `([\w.]+)`$/gm)].map((match) => match[1])).toEqual(
      settings,
    );
  });
});
