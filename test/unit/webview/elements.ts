/** Elements of the page by role and name, as tests and screen readers find them. */

const implicitRoles: Readonly<Record<string, string>> = {
  BUTTON: 'button',
  ARTICLE: 'article',
  TEXTAREA: 'textbox',
  UL: 'list',
  LI: 'listitem',
  MAIN: 'main',
  H1: 'heading',
  H2: 'heading',
};

export function roleOf(element: Element): string {
  const implicit = element.tagName === 'INPUT' ? 'textbox' : (implicitRoles[element.tagName] ?? '');
  return element.getAttribute('role') ?? implicit;
}

export function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? (element.textContent ?? '').trim();
}

export function all(role: string): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('*')].filter((element) => roleOf(element) === role);
}

export function names(role: string): readonly string[] {
  return all(role).map(nameOf);
}

/** Texts of the elements that a selector finds. */
export function texts(selector: string, within: ParentNode = document): readonly string[] {
  return [...within.querySelectorAll(selector)].map(({ textContent }) => textContent ?? '');
}

/** The one element of this role and name; throws where there is none or more than one. */
export function find(role: string, name: string): HTMLElement {
  const found = all(role).filter((element) => nameOf(element) === name);
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(
      `${found.length} elements of role ${role} are named "${name}"; there are ${JSON.stringify(names(role))}`,
    );
  return found[0];
}
