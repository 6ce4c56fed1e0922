import { Component, h, type ComponentChild, type FunctionComponent } from 'preact';

/** Re-renders a component only when one of its props has changed. Unchanged rows of a conversation keep their
 *  identity, so a delta re-renders one answer and not the list. */
export function memo<P extends object>(Inner: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !shallowEqual(this.props, next);
    }
    override render(): ComponentChild {
      return h(Inner, this.props);
    }
  }
  return (props) => h(Memo, props);
}

function shallowEqual(left: object, right: object): boolean {
  const before = new Map(Object.entries(left));
  const after = Object.entries(right);
  return (
    after.length === before.size &&
    after.every(([name, value]) => before.has(name) && Object.is(before.get(name), value))
  );
}
