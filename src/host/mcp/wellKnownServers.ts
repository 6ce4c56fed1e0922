import { t } from '../../base/translate';

/** signIn: in the browser. node: starts with `npx`. */
type Need = 'nothing' | 'signIn' | 'node';

interface WellKnownServer {
  readonly name: string;
  /** As a user would type it. */
  readonly text: string;
  readonly need: Need;
}

/** Servers that their makers publish, at the addresses of their documentation. */
export const wellKnownServers: readonly WellKnownServer[] = [
  { name: 'Atlassian', text: 'https://mcp.atlassian.com/v1/mcp', need: 'signIn' },
  { name: 'Context7', text: 'https://mcp.context7.com/mcp', need: 'nothing' },
  { name: 'DeepWiki', text: 'https://mcp.deepwiki.com/mcp', need: 'nothing' },
  { name: 'Figma', text: 'https://mcp.figma.com/mcp', need: 'signIn' },
  { name: 'GitHub', text: 'https://api.githubcopilot.com/mcp/', need: 'signIn' },
  { name: 'Hugging Face', text: 'https://huggingface.co/mcp', need: 'nothing' },
  { name: 'Linear', text: 'https://mcp.linear.app/mcp', need: 'signIn' },
  { name: 'Memory', text: 'npx -y @modelcontextprotocol/server-memory', need: 'node' },
  { name: 'Microsoft Learn', text: 'https://learn.microsoft.com/api/mcp', need: 'nothing' },
  { name: 'Notion', text: 'https://mcp.notion.com/mcp', need: 'signIn' },
  { name: 'Playwright', text: 'npx -y @playwright/mcp@latest', need: 'node' },
  { name: 'Sentry', text: 'https://mcp.sentry.dev/mcp', need: 'signIn' },
  { name: 'Stripe', text: 'https://mcp.stripe.com', need: 'signIn' },
];

export function needText(need: Need): string {
  switch (need) {
    case 'nothing':
      return t('needs nothing');
    case 'signIn':
      return t('needs a sign-in in your browser');
    case 'node':
      return t('needs Node.js (npx)');
  }
}
