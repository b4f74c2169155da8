import type { Scene } from '../scene';
import type { Step } from '../step';

const SCRIPT_CHARACTERS = 200;

/** What is kept of the document: its head and one path, without references. */
const OF_DOCUMENT = {
  '': ['openapi', 'info', 'servers', 'paths'],
  info: ['title', 'version', 'license'],
  paths: ['/livez'],
  'paths./livez.get': ['operationId', 'tags', 'summary', 'description'],
};

const document = { summary: 'The document, cut to one path.', as: 'nobody', keeps: OF_DOCUMENT } as const;

/** The service's description of itself, and probes. */
export const documentSteps: readonly Step[] = [
  { operation: 'getOpenapi', ...document },
  { operation: 'getMarketStateOpenapi', ...document },
  { operation: 'getDocsOpenapi', ...document },
  { operation: 'getDocsPage', summary: 'The beginning of the page.', as: 'nobody' },
  ...pageFileSteps('getDocsFile', '/docs'),
  { operation: 'getLlmsText', summary: 'The beginning of the guide.', as: 'nobody', characters: 1_500 },
  { operation: 'getSigningKeys', summary: 'The key that signs packets.', as: 'nobody' },
  { operation: 'getLivez', summary: 'The process answers.', as: 'nobody' },
  { operation: 'getReadyz', summary: 'Everything is ready.', as: 'nobody' },
];

/** The files of a page: the stylesheet and the script that it names. */
function pageFileSteps(operation: string, page: string): readonly Step[] {
  const remember = (end: string) => (scene: Scene) => rememberFile(scene, page, end);
  const stranger = { operation, as: 'nobody' } as const;
  return [
    { ...stranger, variant: 'stylesheet', summary: 'The beginning of the stylesheet.', before: remember('css') },
    { ...stranger, variant: 'script', summary: 'The beginning of the script.', before: remember('js'), characters: SCRIPT_CHARACTERS },
  ];
}

async function rememberFile(scene: Scene, page: string, end: string): Promise<void> {
  const html = await (await fetch(`${scene.system.url}${page}`)).text();
  const name = new RegExp(`assets/([^"]+\\.${end})`).exec(html)?.[1];
  if (name === undefined) throw new Error(`${page} names no file in .${end}.`);
  scene.things.set('file_name', name);
}
