import type { ApprovalPolicy } from '../../src/tools/approval/approvalPolicy';
import type { JudgedAccess } from '../../src/tools/tool';

/** A policy without rules: reads inside the open folders are allowed. Everything else needs approval, and can only
 *  be allowed once. */
export const cautiousPolicy: ApprovalPolicy = {
  judge: ({ tool, asked: { access, preview }, asksFor }) => {
    if (asksFor === undefined && access.kind === 'read' && access.paths.every(({ isInside }) => isInside))
      return { kind: 'allow' };
    const reasons = asksFor === undefined ? [] : [asksFor];
    return {
      kind: 'ask',
      request: { tool, access, subject: subjectOf(access), reasons, rules: [], preview: preview ?? null },
    };
  },
  remember: () => Promise.resolve(),
};

function subjectOf(access: JudgedAccess): string {
  switch (access.kind) {
    case 'read':
    case 'edit':
      return access.paths.map(({ shown }) => shown).join(', ');
    case 'run':
      return access.command;
    case 'fetch':
      return access.url;
    case 'mcp':
      return `${access.server}: ${access.tool}`;
    case 'editorTool':
      return access.name;
    case 'agent':
      return access.action;
    case 'plan':
      return 'plan';
    default:
      return access satisfies never;
  }
}
