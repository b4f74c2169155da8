import { type Copy, DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';

const ALLOWED: readonly (readonly string[])[] = [
  ['WORKDIR', 'COPY', 'RUN', 'ARG'],
  ['LABEL', 'WORKDIR', 'COPY', 'ENV', 'USER', 'ENTRYPOINT', 'CMD'],
];
/** Programs of the first stage: only npm downloads, by the lock file. */
const RUNS = ['npm ci ', 'node tools/', 'mkdir -p '];
const BASES = ['BUILD_IMAGE', 'RUN_IMAGE'];
const SECRET = /SECRET|PASSWORD|TOKEN|CREDENTIAL|KEY|_URL\b/i;
const PINNED = /@sha256:[0-9a-f]{64}$/;

const keywordOf = (instruction: Instruction): string => instruction.getKeyword();
const textOf = (instruction: Instruction): string => instruction.getArgumentsContent() ?? '';

/** Words of an instruction in exec form; undefined for shell form. */
function wordsOf(instruction: Instruction): readonly string[] | undefined {
  const json = instruction as JSONInstruction;
  return json.getOpeningBracket() === null ? undefined : json.getJSONStrings().map((word) => word.getJSONValue());
}

export function containerfileFaults(text: string, user: string): readonly string[] {
  const file = DockerfileParser.parse(text);
  const stages: Instruction[][] = [];
  for (const instruction of file.getInstructions()) {
    if (keywordOf(instruction) === 'FROM') stages.push([]);
    else stages.at(-1)?.push(instruction);
  }
  if (stages.length !== 2) return [`It has ${stages.length} stages.`];
  const [build = [], run = []] = stages;
  return [
    ...baseFaults(file),
    ...stages.flatMap((stage, at) =>
      stage.filter((one) => !ALLOWED[at]?.includes(keywordOf(one))).map((one) => `${keywordOf(one)} is not allowed in stage ${at + 1}.`),
    ),
    ...build.filter((one) => keywordOf(one) === 'RUN').flatMap(runFaults),
    ...run.filter((one) => keywordOf(one) === 'COPY' && !isOfBuild(one)).map((one) => `COPY ${textOf(one)} is not from the first stage.`),
    ...endFaults(run, user),
    ...[...build, ...run]
      .filter((one) => ['ARG', 'ENV'].includes(keywordOf(one)) && SECRET.test(textOf(one)))
      .map((one) => `${keywordOf(one)} ${textOf(one)} names a secret.`),
  ];
}

function isOfBuild(instruction: Instruction): boolean {
  return (instruction as Copy).getFlags().some((flag) => flag.getName() === 'from' && flag.getValue() === 'build');
}

function baseFaults(file: ReturnType<typeof DockerfileParser.parse>): string[] {
  const images = file.getFROMs().map((from) => from.getImage() ?? '');
  const pinned = new Map(file.getInitialARGs().map((arg) => [arg.getProperty()?.getName(), arg.getProperty()?.getValue() ?? '']));
  return [
    ...(images.join() === BASES.map((name) => `\${${name}}`).join() ? [] : [`It is based on ${images.join(' and ')}.`]),
    ...BASES.filter((name) => !PINNED.test(pinned.get(name) ?? '')).map((name) => `${name} is not pinned by a digest.`),
  ];
}

function runFaults(instruction: Instruction): string[] {
  const words = wordsOf(instruction);
  if (words === undefined) return [`RUN ${textOf(instruction)} uses a shell.`];
  return RUNS.some((start) => `${words.join(' ')} `.startsWith(start)) ? [] : [`RUN ${words.join(' ')} is not a known step.`];
}

function endFaults(run: readonly Instruction[], user: string): string[] {
  const end = run.slice(-3);
  if (end.map(keywordOf).join() !== 'USER,ENTRYPOINT,CMD') return [`It ends with ${end.map(keywordOf).join(', ')}.`];
  const [as, ...programs] = end;
  return [
    ...(as !== undefined && textOf(as) === user ? [] : [`It runs as ${as === undefined ? 'nobody' : textOf(as)}.`]),
    ...programs.filter((one) => wordsOf(one) === undefined).map((one) => `${keywordOf(one)} ${textOf(one)} uses a shell.`),
  ];
}
