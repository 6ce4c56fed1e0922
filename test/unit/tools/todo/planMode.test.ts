import { expect, it } from 'vitest';
import { DiskPathLookup } from '../../../../src/tools/approval/pathLookup';
import { RulesPolicy } from '../../../../src/tools/approval/rulesPolicy';
import { modes } from '../../../../src/transcript/approvalChecks';

const policy = new RulesPolicy({
  allow: () => [],
  workspaceAllow: () => [],
  deny: () => [],
  remember: async () => undefined,
  isTrusted: () => true,
  caseSensitive: true,
  lookup: new DiskPathLookup(() => [], '/home/ann', '/tmp'),
});

it('a plan is asked about only in Plan mode', () => {
  const told = modes.map((mode) => {
    const verdict = policy.judge({
      tool: 'exit_plan_mode',
      mode,
      sessionRules: [],
      asked: { access: { kind: 'plan' }, preview: '# Plan' },
    });
    return [
      mode,
      verdict.kind,
      verdict.kind === 'deny' ? verdict.sentence : verdict.kind === 'ask' ? verdict.request.preview : null,
    ];
  });
  const sentence =
    'This session is not in Plan mode, so there is no plan to approve. Do the work; what needs asking is asked.';
  expect(told).toEqual([
    ['ask', 'deny', sentence],
    ['auto', 'deny', sentence],
    ['plan', 'ask', '# Plan'],
  ]);
});
