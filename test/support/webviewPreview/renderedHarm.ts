import {
  allowedAttributes,
  allowedClasses,
  allowedElements,
  allowedFormulaElements,
  harmfulFormulaAttributes,
} from '../hostileMarkdown';
import { type OpenPreview, untilAtRest } from './browserPreview';

/** What must not be there, of everything that was drawn as Markdown. */
export async function harm({
  page,
  problems,
  strays,
}: OpenPreview): Promise<Readonly<Record<keyof typeof harmless, unknown>>> {
  // Names are asked about and code is coloured a moment after it was seen.
  await untilAtRest(page);
  const found = await page.evaluate(() => {
    const elements = [...document.querySelectorAll('.markdown *')];
    const attributes = elements.flatMap((element) => [...element.attributes].map(({ name }) => name));
    const links = elements.flatMap((element) =>
      element instanceof HTMLElement && element.dataset['href'] !== undefined ? [element.dataset['href']] : [],
    );
    const classes = elements.flatMap((element) => [...element.classList]);
    // A formula's styles are its own: names in it mean nothing outside.
    const inFormulas = elements.flatMap((element) => [...(element.shadowRoot?.querySelectorAll('*') ?? [])]);
    // A wide cell scrolls with its table.
    const areas = elements.flatMap((element) =>
      element.closest('table') === null ? (element.shadowRoot?.firstElementChild?.getBoundingClientRect() ?? []) : [],
    );
    return {
      formulaNames: [...new Set(inFormulas.map(({ localName }) => localName))],
      formulaAttributes: [...new Set(inFormulas.flatMap((element) => [...element.attributes].map(({ name }) => name)))],
      formulaStyles: inFormulas
        .map((element) => element.getAttribute('style') ?? '')
        .filter((style) => /url|fixed|absolute|sticky|@|expression/i.test(style)),
      enormous: areas.filter(({ width, height }) => width > window.innerWidth || height > 3000).length,
      classes: [...new Set(classes)],
      names: [...new Set(elements.map(({ localName }) => localName))],
      attributes: [...new Set(attributes)],
      links,
      drawn: elements.length,
      pwned: Reflect.get(window, 'pwned'),
      address: location.pathname,
    };
  });
  return {
    drawn: found.drawn > 0,
    elements: [
      ...found.names.filter((name) => !allowedElements.test(name)),
      ...found.formulaNames.filter((name) => !allowedFormulaElements.test(name)),
    ],
    attributes: [
      ...found.attributes.filter((name) => !allowedAttributes.test(name)),
      ...found.formulaAttributes.filter((name) => harmfulFormulaAttributes.test(name)),
      ...found.formulaStyles,
      ...(found.enormous > 0 ? [`${found.enormous} enormous elements`] : []),
    ],
    classes: found.classes.filter((name) => !allowedClasses.test(name)),
    links: found.links.filter(
      (href) => !/^(?:https?:\/\/|mailto:)/i.test(href) && /^(?:[a-z][a-z0-9+.-]*:(?!\d)|[\\/]{2})/i.test(href),
    ),
    pwned: found.pwned,
    left: found.address.startsWith('/view/') ? [] : [found.address],
    problems,
    strays,
  };
}

/** `harm` of a page on which something was drawn and nothing else happened. */
export const harmless = {
  drawn: true,
  elements: [],
  attributes: [],
  classes: [],
  links: [],
  pwned: undefined,
  left: [],
  problems: [],
  strays: [],
};
