import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { choicesIn } from '../../../scripts/referenceDocs.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const item = v.object({
  command: v.optional(v.string()),
  submenu: v.optional(v.string()),
  when: v.optional(v.string()),
  group: v.optional(v.string()),
});
const setting = v.looseObject({
  scope: v.string(),
  order: v.number(),
  markdownDescription: v.string(),
  enum: v.optional(v.array(v.string())),
  markdownEnumDescriptions: v.optional(v.array(v.string())),
});
const manifestSchema = v.object({
  activationEvents: v.array(v.string()),
  extensionKind: v.array(v.string()),
  capabilities: v.object({
    untrustedWorkspaces: v.object({ supported: v.string(), restrictedConfigurations: v.array(v.string()) }),
    virtualWorkspaces: v.object({ supported: v.string() }),
  }),
  contributes: v.object({
    commands: v.array(v.object({ command: v.string(), title: v.string(), category: v.string() })),
    menus: v.record(v.string(), v.array(item)),
    submenus: v.array(v.object({ id: v.string(), label: v.string() })),
    keybindings: v.array(v.object({ command: v.string(), key: v.string(), when: v.optional(v.string()) })),
    views: v.record(v.string(), v.array(v.looseObject({ id: v.string() }))),
    configuration: v.array(
      v.object({ title: v.string(), order: v.number(), properties: v.record(v.string(), setting) }),
    ),
    walkthroughs: v.array(
      v.object({
        when: v.string(),
        steps: v.array(
          v.object({
            id: v.string(),
            description: v.string(),
            completionEvents: v.array(v.string()),
            media: v.object({ svg: v.string(), altText: v.string() }),
          }),
        ),
      }),
    ),
    viewsWelcome: v.array(v.object({ view: v.string(), contents: v.string(), when: v.string() })),
  }),
});
const manifest = v.parse(manifestSchema, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const words: Readonly<Record<string, string>> = v.parse(
  v.record(v.string(), v.string()),
  JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')),
);
const { contributes } = manifest;
const wordsOf = (key: string): string => words[key.slice(1, -1)] ?? `(${key} is missing)`;
const contributed = contributes.commands.map(({ command }) => command);
const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(/\(command:([\w.]+)/g)].map((match) => match[1] ?? '');

/** Registered, and called by rows, code lenses and other parts of the extension alone. */
const internal = [
  'hermes.showMoreSessions',
  'hermes.fixProblem',
  'hermes.explainProblem',
  'hermes.showRemoved',
  'hermes.undoRevertHere',
];

const sources = ['src/host', 'src/features']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  )
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
const features = readdirSync(join(root, 'src/features'))
  .filter((name) => existsSync(join(root, 'src/features', name, 'index.ts')))
  .map((name) => ({
    key: `hermes.feature.${name}`,
    sources: sources.filter(({ fileName }) => fileName.startsWith(join(root, 'src/features', name))),
  }));

/** Commands that `within` registers: by name, and as entries of tables that go to `registerCommands`. */
function registered(within: readonly ts.SourceFile[]): ReadonlySet<string> {
  const found = new Set<string>();
  const entries = (table: ts.Node): void => {
    if (!ts.isObjectLiteralExpression(table)) return;
    for (const property of table.properties)
      if (property.name !== undefined && ts.isIdentifier(property.name)) found.add(`hermes.${property.name.text}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText().endsWith('registerCommand')) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteral(name)) found.add(name.text);
    }
    if (ts.isCallExpression(node) && node.expression.getText() === 'registerCommands') node.arguments.forEach(entries);
    if (
      (ts.isFunctionLike(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) &&
      node.type?.getText() === 'CommandTable'
    ) {
      const inside = (child: ts.Node): void => {
        if (ts.isReturnStatement(child) && child.expression !== undefined) entries(child.expression);
        else ts.forEachChild(child, inside);
      };
      if ('initializer' in node && node.initializer !== undefined) entries(node.initializer);
      ts.forEachChild(node, inside);
    }
    ts.forEachChild(node, visit);
  };
  within.forEach((source) => visit(source));
  return found;
}

/** Context keys that `within` sets: literals given to `setContext`, and what the parts that tell several give it. */
function contextKeys(within: readonly ts.SourceFile[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const source of within) {
    for (const match of source.text.matchAll(/'setContext',\s*'([\w.]+)'/g)) found.add(match[1] ?? '');
    if (/`hermes\.\$\{key\}`/.test(source.text))
      for (const match of source.text.matchAll(/setKey\(\s*'(\w+)'/g)) found.add(`hermes.${match[1] ?? ''}`);
  }
  return found;
}

describe('the manifest', () => {
  it('contributes exactly the registered commands', () => {
    const known = registered(sources);
    expect({
      notRegistered: contributed.filter((command) => !known.has(command)),
      notContributed: [...known].filter((command) => !contributed.includes(command) && !internal.includes(command)),
    }).toEqual({ notRegistered: [], notContributed: [] });
  });

  it('names only existing commands in menus, keys, welcome texts and the walkthrough', () => {
    const named = [
      ...Object.values(contributes.menus)
        .flat()
        .map(({ command }) => command),
      ...contributes.keybindings.map(({ command }) => command),
      ...contributes.viewsWelcome.flatMap(({ contents }) => linksIn(wordsOf(contents))),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap(({ description, completionEvents }) => [
          ...linksIn(wordsOf(description)),
          ...completionEvents
            .filter((event) => event.startsWith('onCommand:'))
            .map((event) => event.slice('onCommand:'.length)),
        ]),
      ),
      ...contributes.configuration.flatMap(({ properties }) =>
        Object.values(properties).flatMap(({ markdownDescription }) => linksIn(wordsOf(markdownDescription))),
      ),
    ].filter((command) => command !== undefined);
    expect([...new Set(named)].filter((command) => !contributed.includes(command))).toEqual([]);
  });

  it('uses only context keys that are set', () => {
    const conditions = [
      ...Object.values(contributes.menus)
        .flat()
        .map(({ when }) => when),
      ...contributes.keybindings.map(({ when }) => when),
      ...contributes.viewsWelcome.map(({ when }) => when),
      ...contributes.walkthroughs.flatMap(({ when, steps }) => [
        when,
        ...steps.flatMap(({ completionEvents }) =>
          completionEvents
            .filter((event) => event.startsWith('onContext:'))
            .map((event) => event.slice('onContext:'.length)),
        ),
      ]),
    ].filter((when) => when !== undefined);
    const ids = new Set([
      ...Object.values(contributes.views)
        .flat()
        .map(({ id }) => id),
      ...manifest.activationEvents.map((event) => event.split(':')[1] ?? ''),
    ]);
    const asked = new Set(
      conditions.flatMap((when) => [...when.matchAll(/\bhermes(?:\.\w+)+/g)].map((match) => match[0])),
    );
    const set = new Set([...contextKeys(sources), ...features.map(({ key }) => key)]);
    expect([...asked].filter((key) => !set.has(key) && !ids.has(key))).toEqual([]);
  });

  it('documents every context key that it sets', () => {
    const docs = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    expect([...contextKeys(sources)].filter((key) => !docs.includes(`\`${key}\``))).toEqual([]);
  });

  it('offers each command of a feature only where the feature is there', () => {
    const offered = (command: string) => [
      ...(contributes.menus['commandPalette']?.some((each) => each.command === command) === true
        ? []
        : [{ command, when: '' }]),
      ...Object.values(contributes.menus).flatMap((items) => items.filter((each) => each.command === command)),
    ];
    const always = features.flatMap((feature) => {
      const keys = [feature.key, ...contextKeys(feature.sources)];
      return [...registered(feature.sources)]
        .filter((command) => contributed.includes(command))
        .flatMap(offered)
        .filter(({ when = '' }) => when !== 'false' && !keys.some((key) => when.split(/[ !()]+/).includes(key)));
    });
    expect(always).toEqual([]);
  });

  it('hides commands that need a row from the palette', () => {
    const hidden = new Set(
      (contributes.menus['commandPalette'] ?? []).filter(({ when }) => when === 'false').map(({ command }) => command),
    );
    const ofRows = [
      'hermes.openSession',
      'hermes.openOtherSession',
      'hermes.filterSessions',
      'hermes.clearSessionsFilter',
      'hermes.refreshSessions',
      'hermes.askAboutFile',
      'hermes.askAboutFolder',
    ];
    expect(ofRows.filter((command) => !hidden.has(command))).toEqual([]);
  });

  it('offers a command that needs a session, a turn or a running command only while there is one', () => {
    const conditions = new Map((contributes.menus['commandPalette'] ?? []).map(({ command, when }) => [command, when]));
    const conditional = ['retry', 'renameSession', 'pinSession', 'archiveSession', 'compressSession', 'stop'].concat([
      'resetSession',
      'branchSession',
      'branchFromHere',
      'rewindToHere',
      'reviewChanges',
      'undoRevert',
    ]);
    expect(conditional.filter((name) => conditions.get(`hermes.${name}`) === undefined)).toEqual([]);
  });

  it('keeps the palette short: at most 40 commands, and 12 in a window where Hermes was never used', () => {
    const conditions = new Map((contributes.menus['commandPalette'] ?? []).map(({ command, when }) => [command, when]));
    const offered = contributed.filter((command) => conditions.get(command) !== 'false');
    expect({
      offered: offered.length <= 40,
      whenNew: offered.filter((command) =>
        (conditions.get(command) ?? 'hermes.feature.').split(' || ').every((key) => key.startsWith('hermes.feature.')),
      ),
      keys: contributes.keybindings.filter(({ when }) => when === undefined),
    }).toEqual({
      offered: true,
      whenNew: [
        'newSession',
        'newPrivateSession',
        'import',
        'storageAndHistory',
        'checkAndRepair',
        'setUpModel',
        'setUpMemory',
        'manageMcpServers',
        'focusChat',
        'getStarted',
        'openSettings',
        'showLog',
      ].map((name) => `hermes.${name}`),
      keys: [],
    });
  });

  it('leads to each command that the palette hides by a choice, a menu, a key, a link or a slash command', () => {
    const { commandPalette = [], ...menus } = contributes.menus;
    const reached = new Set([
      ...[...choicesIn(root).values()].flat().map((name) => `hermes.${name}`),
      ...Object.values(menus).flatMap((items) => items.map(({ command }) => command)),
      ...contributes.keybindings.map(({ command }) => command),
      ...contributes.viewsWelcome.flatMap(({ contents }) => linksIn(wordsOf(contents))),
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap((step) => linksIn(wordsOf(step.description)))),
    ]);
    const hidden = commandPalette.filter(({ when }) => when === 'false').map(({ command = '' }) => command);
    // `/reset` in the composer.
    expect(hidden.filter((command) => !reached.has(command))).toEqual(['hermes.resetSession']);
    expect([...choicesIn(root).keys()]).toEqual(['review', 'export', 'import', 'checkAndRepair', 'storageAndHistory']);
  });

  it('groups its settings, describes each value, and lets no untrusted folder decide', () => {
    const all = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
    const restricted = new Set(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);
    const mayComeFromFolder = new Set([
      'hermes.checkpoints',
      'hermes.notifications',
      'hermes.trash.days',
      'hermes.compression.threshold',
    ]);
    expect({
      orders: contributes.configuration.map(({ order }) => order),
      twice: all.map(([name]) => name).filter((name, index, names) => names.indexOf(name) !== index),
      undescribed: all
        .filter(
          ([, { enum: values, markdownEnumDescriptions: told }]) =>
            values !== undefined && (told === undefined || told.length !== values.length),
        )
        .map(([name]) => name)
        .filter((name) => name !== 'hermes.memory.provider'),
      unguarded: all.map(([name]) => name).filter((name) => !restricted.has(name) && !mayComeFromFolder.has(name)),
      // The settings of a container may come from its repository.
      ofMachines: all.filter(([, { scope }]) => scope === 'machine').map(([name]) => name),
      placesOfOurs: all
        .filter(
          ([name, { scope }]) =>
            /model$|providers|approvals|memory|storage|mcp|terminal/.test(name) &&
            scope !== 'application' &&
            scope !== 'machine',
        )
        .map(([name]) => name),
      orderInGroup: contributes.configuration
        .map(({ properties }) => Object.values(properties).map(({ order }) => order))
        .filter((orders) => new Set(orders).size !== orders.length),
    }).toEqual({
      orders: contributes.configuration.map((_group, index) => index + 1),
      twice: [],
      undescribed: [],
      unguarded: [],
      ofMachines: ['hermes.storage.path', 'hermes.backups.folder'],
      placesOfOurs: [],
      orderInGroup: [],
    });
  });

  it('has every picture of the walkthrough, with alternative text', () => {
    expect(
      contributes.walkthroughs.flatMap(({ steps }) =>
        steps.filter(({ media }) => !existsSync(join(root, media.svg)) || wordsOf(media.altText).length < 20),
      ),
    ).toEqual([]);
  });

  it('has no literal texts: each title and description is in package.nls.json', () => {
    const found: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (Array.isArray(value)) value.forEach((each, index) => visit(each, `${path}.${index}`));
      else if (typeof value === 'object' && value !== null) {
        for (const [name, each] of Object.entries(value)) {
          const isWords =
            /^(title|description|markdownDescription|markdownEnumDescriptions|enumDescriptions|enumItemLabels|label|contents|altText|patternErrorMessage|errorMessage|contextualTitle|displayName)$/.test(
              name,
            );
          const texts: readonly unknown[] = Array.isArray(each) ? each : [each];
          if (isWords)
            found.push(
              ...texts
                .filter((text) => typeof text === 'string' && !/^%.+%$/.test(text))
                .map((text) => `${path}.${name}: ${String(text)}`),
            );
          else visit(each, `${path}.${name}`);
        }
      }
    };
    const whole: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    visit(whole, 'package');
    expect(found).toEqual([]);
  });
});
