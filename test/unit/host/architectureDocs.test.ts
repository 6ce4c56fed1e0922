import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const page = fs.readFileSync('docs/architecture.md', 'utf8');

/** The file that each numbered line of a section begins with. */
function stops(heading: string): readonly string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^\d+\. \[`([^`]+)`\]\(\.\.\/([^)]+)\)/gm)].map(([, name = '', link]) => {
    expect(link).toBe(name);
    return name;
  });
}

describe('docs/architecture.md', () => {
  it('follows a prompt from the composer to the model in ten files that exist', () => {
    const files = stops('A prompt from the composer to the model in ten stops');
    expect(new Set(files).size).toBe(10);
    expect(files.filter((file) => !fs.existsSync(file))).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const folder = 'docs/decisions';
  const pages = fs
    .readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .sort();

  it('lists every decision in its index, with its title', () => {
    const titles = pages.map((name) => {
      const [first = ''] = fs.readFileSync(path.join(folder, name), 'utf8').split('\n');
      return `- [${first.replace('# ', '')}](${name})`;
    });
    const index = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');
    expect(index.match(/^- .*$/gm)).toEqual(titles);
  });

  it('gives each decision its context, the decision and its consequence', () => {
    for (const name of pages) {
      const headings = fs.readFileSync(path.join(folder, name), 'utf8').match(/^## .*$/gm);
      expect({ name, headings }).toEqual({ name, headings: ['## Context', '## Decision', '## Consequence'] });
    }
  });
});

describe('the documents', () => {
  it('link only to files that exist', () => {
    const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].concat(
      ...['docs', 'src'].map((folder) =>
        fs
          .readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.md'))
          .map((name) => path.join(folder, name)),
      ),
    );
    const broken = documents.flatMap((document) =>
      [...fs.readFileSync(document, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !fs.existsSync(path.join(path.dirname(document), link)))
        .map((link) => `${document}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
