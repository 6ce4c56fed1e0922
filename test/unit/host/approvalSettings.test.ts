import { describe, expect, it } from 'vitest';
import { WorkspaceRules } from '../../../src/host/approvals/approvalRules';
import { readApprovals } from '../../../src/host/settings/settings';

describe('the rule lists in the settings', () => {
  const read = (allow: unknown, deny: unknown): unknown => {
    const problems: string[] = [];
    return {
      read: readApprovals(allow, deny, (setting, sentence) => problems.push(`${setting}: ${sentence.slice(0, 50)}`)),
      problems,
    };
  };

  it('are read as written', () => {
    expect(read(['run(npm test)'], ['run(git push *)', 'run(*)'])).toEqual({
      read: { allow: ['run(npm test)'], deny: ['run(git push *)', 'run(*)'] },
      problems: [],
    });
    expect(read(undefined, undefined)).toEqual({ read: { allow: [], deny: [] }, problems: [] });
  });

  it('drop unreadable allow rules and keep unreadable deny rules', () => {
    expect(read(['npm test', 'run(*)', 7, 'run(ls)'], ['npm publish', { run: 'x' }])).toEqual({
      read: { allow: ['run(ls)'], deny: ['npm publish', '{"run":"x"}'] },
      problems: [
        'hermes.approvals.allow: `npm test` is not a rule. Rules are written as run',
        'hermes.approvals.allow: `run(*)` would allow everything of its kind, so it',
        'hermes.approvals.allow: `7` is not a rule. Rules are written as run(npm te',
        'hermes.approvals.deny: `npm publish` in `hermes.approvals.deny` is not a ',
        'hermes.approvals.deny: `{"run":"x"}` in `hermes.approvals.deny` is not a ',
      ],
    });
  });

  it('may be a single rule by mistake, which still denies', () => {
    expect(read([], 'run(npm publish)')).toEqual({ read: { allow: [], deny: ['run(npm publish)'] }, problems: [] });
  });
});

describe('a rule allowed for a workspace', () => {
  it('is added once, can be removed, and the list never exceeds its limit', async () => {
    const kept = new Map<string, unknown>([['hermes.approvals.allow', ['run(npm test)', 'run(*)', 'nothing']]]);
    const rules = new WorkspaceRules({
      get: (key) => kept.get(key),
      update: async (key, value) => void kept.set(key, value),
    });
    const before = rules.all();
    await rules.add(['run(ls)', 'run(npm test)']);
    const added = rules.all();
    await rules.remove('run(npm test)');
    kept.set('other', 1);
    const removed = rules.all();
    kept.set('hermes.approvals.allow', 'run(x)');
    expect([before, added, removed, rules.all()]).toEqual([
      ['run(npm test)'],
      ['run(npm test)', 'run(ls)'],
      ['run(ls)'],
      [],
    ]);
  });
});
