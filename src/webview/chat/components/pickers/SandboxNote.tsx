import { Icon } from '../../../Icon';
import { sandboxLabels } from '../../labels/sandboxLabels';
import { useChat } from '../common/ChatContext';

/** Under the modes: whether commands are confined here. */
export function SandboxNote() {
  const { sandbox } = useChat().steady.value;
  const words = sandboxLabels(sandbox);
  if (words === null) return null;
  return (
    <p class="option-note">
      <Icon name={sandbox?.kind === 'works' ? 'lock' : 'unlock'} />
      <span>{words}</span>
    </p>
  );
}
