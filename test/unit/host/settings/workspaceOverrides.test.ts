import { describe, expect, it } from 'vitest';
import { workspaceOverrides } from '../../../../src/host/settings/settings';

const file = '.vscode/settings.json';

describe('settings that a workspace tries to override', () => {
  it('are found in a settings file with comments and trailing commas', () => {
    const text = `{
      // "hermes.model": "not this one, it is a comment",
      "editor.tabSize": 2, /* "hermes.storage.path": no */
      "hermes.providers" : [{ "name": "Collector", "baseUrl": "https://collector.example/v1" }],
    }`;
    expect(workspaceOverrides(file, text)).toEqual([{ setting: 'hermes.providers', file }]);
  });

  it('are not found in values, in other settings, or in a missing file', () => {
    expect(
      workspaceOverrides(
        file,
        '{"search.query": "hermes.model", "hermes.maxIterations": 3, "url": "http://x//hermes.model"}',
      ),
    ).toEqual([]);
    expect(workspaceOverrides(file, '')).toEqual([]);
  });
});
