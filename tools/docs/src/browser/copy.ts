/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
const CONFIRMED_MS = 1_500;

/** Adds a button to each block of code that copies its text. Clipboards need a secure context; elsewhere there is no button. */
export function addCopyButtons(): void {
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll('pre')) {
    const frame = document.createElement('div');
    frame.className = 'code';
    block.replaceWith(frame);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(button, block.textContent ?? ''));
    frame.append(block, button);
  }
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const done = await navigator.clipboard.writeText(text.trimEnd()).then(
    () => 'Copied',
    () => 'Not allowed',
  );
  button.textContent = done;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, CONFIRMED_MS);
}
