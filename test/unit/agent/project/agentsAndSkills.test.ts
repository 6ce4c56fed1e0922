import { describe, expect, it } from 'vitest';
import { missingTools } from '../../../../src/agent/project/agentFiles';
import { foreignNames, meantTools } from '../../../../src/agent/project/foreignTools';
import {
  invocable,
  type ProjectContext,
  projectTools,
  readProject,
} from '../../../../src/agent/project/projectContext';
import { projectPrompt } from '../../../../src/agent/project/projectPrompt';
import { expandPrompt } from '../../../../src/agent/project/promptFiles';
import { type Files, foldersPerTest } from '../../../support/filesOnDisk';
import { FolderOnDisk } from '../../../support/folderOnDisk';

const folderWith = foldersPerTest();

function read(files: Files): Promise<ProjectContext> {
  return readProject(
    { files: new FolderOnDisk([{ name: 'w', path: folderWith(files) }]), deniesReading: () => false },
    'others',
    new AbortController().signal,
  );
}

const skill = (fields: string, body = 'Do $ARGUMENTS.'): string => `---\ndescription: d\n${fields}\n---\n${body}`;

describe('skills and prompt files after a slash', () => {
  it('are offered to the user, to the model, or to both, as each says', async () => {
    const project = await read({
      '.claude/skills/ship/SKILL.md': skill('name: ship\nargument-hint: "[version]"\nallowed-tools: Bash(*)'),
      '.github/skills/quiet/SKILL.md': skill('name: quiet\ndisable-model-invocation: true'),
      '.agents/skills/inner/SKILL.md': skill('name: inner\nuser-invocable: false'),
      '.claude/commands/ship.md': 'The command.',
    });
    const listed = projectPrompt(project, true).match(/^- \w+(?=: )/gm);
    expect({
      offered: invocable(project).map(({ name, kind = 'prompt', argumentHint }) => `${name} ${kind} ${argumentHint}`),
      listed,
      readable: JSON.stringify(projectTools(project)[0]?.parameters).match(/"enum":\[[^\]]*\]/)?.[0],
    }).toEqual({
      offered: ['ship prompt null', 'quiet skill null'],
      listed: ['- ship', '- inner'],
      readable: '"enum":["ship","inner"]',
    });
  });

  it('get what the user typed after the name; one with its own context goes to a sub-agent', async () => {
    const project = await read({
      '.claude/skills/fix/SKILL.md': skill(
        'name: fix',
        'Fix $ARGUMENTS[0], then $2, of $ARGUMENTS. See ${CLAUDE_SKILL_DIR}/x.',
      ),
      '.claude/skills/look/SKILL.md': skill('name: look\ncontext: fork', 'Look.'),
      '.github/prompts/ask.prompt.md': '---\nmode: ask\ntools: [search, read]\n---\nWhy?',
    });
    const sent = (text: string): string => expandPrompt(text, invocable(project)).split('\n\n').slice(1).join('\n\n');
    expect([sent('/fix a b'), sent('/look'), sent('/ask')]).toEqual([
      'Fix a, then b, of a b. See .claude/skills/fix/x.',
      'Hand this to a sub-agent with delegate_task, whole, and report what comes back:\n\nLook.',
      'Why?\n\n(This is meant for these tools, as far as you have them: search, read.)\n\n(Only look and answer: ' +
        'change nothing.)',
    ]);
  });
});

describe('agents of a project', () => {
  const files: Files = {
    '.github/agents/reviewer.agent.md':
      '---\nname: Reviewer\ndescription: Reviews code\ntools: [read, search, azure/*, jira]\n---\nReview.',
    '.claude/agents/tester.md':
      '---\nname: tester\ndescription: Tests\ntools: Bash(npm test:*), Read\npermissionMode: bypassPermissions\n' +
      '---\nTest.',
    '.opencode/agent/docs.md':
      '---\ndescription: Docs\nmode: subagent\ntools:\n  write: false\n  bash: false\n---\nWrite.',
    '.claude/agents/nameless.md': 'No description.',
    '.claude/agents/reviewer.md': '---\nname: reviewer\ndescription: Another\n---\nOther.',
  };

  it('are read from the files of Copilot, Claude Code and opencode; the first of a name counts', async () => {
    const { agents, left } = await read(files);
    expect({
      agents: agents.map(({ name, tools, withoutTools }) => [name, tools, withoutTools]),
      left: left.map(({ path, reason }) => `${path} ${reason}`),
    }).toEqual({
      agents: [
        ['reviewer', ['read', 'search', 'azure/*', 'jira'], []],
        ['tester', ['Bash(npm test:*)', 'Read'], []],
        ['docs', null, ['write', 'bash']],
      ],
      left: ['.claude/agents/nameless.md description', '.claude/agents/reviewer.md name'],
    });
  });

  it('can be chosen for a session, and offer handoffs; one that cannot be read is left out', async () => {
    const { agents } = await read({
      ...files,
      '.github/agents/planner.agent.md':
        '---\ndescription: Plans\ntools: [read, jira]\nhandoffs:\n' +
        '  - label: Do It\n    agent: agent\n    prompt: Implement the plan.\n    send: true\n' +
        '  - label: Review\n    agent: Reviewer\n  - prompt: x\n---\nPlan.',
    });
    const planner = agents.find(({ name }) => name === 'planner');
    expect({
      sessions: agents.filter(({ forSessions }) => forSessions).map(({ name }) => name),
      handoffs: planner?.handoffs,
      missing: planner && missingTools(planner),
    }).toEqual({
      sessions: ['planner', 'reviewer', 'tester'],
      handoffs: [
        { label: 'Do It', agent: null, prompt: 'Implement the plan.', send: true },
        { label: 'Review', agent: 'reviewer', prompt: '', send: false },
      ],
      missing: ['jira'],
    });
  });

  it('and prompt files name models, the best first; "inherit" names none', async () => {
    const { agents, prompts } = await read({
      '.claude/agents/a.md': '---\ndescription: A\nmodel: inherit\n---\nA.',
      '.claude/agents/b.md': '---\ndescription: B\nmodel: sonnet\n---\nB.',
      '.github/agents/c.agent.md': '---\ndescription: C\nmodel: [GPT-5 (copilot), Claude Sonnet 5]\n---\nC.',
      '.github/prompts/d.prompt.md': '---\nmodel: GPT-5\n---\nD.',
      '.claude/commands/e.md': 'E.',
    });
    expect(Object.fromEntries([...agents, ...prompts].map(({ name, models }) => [name, models]))).toEqual({
      ...{ a: [], b: ['sonnet'], c: ['GPT-5 (copilot)', 'Claude Sonnet 5'], d: ['GPT-5'], e: [] },
    });
  });

  it('are types of the sub-agent tool, and can be called after a slash', async () => {
    const project = await read(files);
    const tool = projectTools(project).find(({ name }) => name === 'delegate_task');
    const bound = (agent: string) => tool?.bind({ task: 'x', agent }).kind;
    expect([
      bound('tester'),
      bound('unknown'),
      expandPrompt('/tester the parser', invocable(project)).split('\n\n').slice(1),
    ]).toEqual([
      'ready',
      'invalid',
      [
        'Hand this to the sub-agent "tester" with delegate_task (agent: "tester"), and report its answer:',
        'the parser',
      ],
    ]);
  });

  it('name tools by the words of other agents; what means none of ours is named', () => {
    const available = [...Object.keys(foreignNames), 'mcp_jira_search', 'mcp_jira_write'];
    const meant = (...words: readonly string[]) => {
      const { names, unknown } = meantTools(words, available);
      return [[...names].join(' '), unknown.join(' ')];
    };
    expect([
      meant('Bash(npm test:*)', 'Read'),
      meant('execute', 'web', 'newWorkspace'),
      meant('jira/*'),
      meant('mcp__jira__write'),
      meant('*')[1],
    ]).toEqual([
      ['run_command read_file', ''],
      ['run_command command_output stop_command fetch_url', 'newWorkspace'],
      ['mcp_jira_search mcp_jira_write', ''],
      ['mcp_jira_write', ''],
      '',
    ]);
  });
});
