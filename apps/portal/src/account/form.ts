import type { FormEvent } from 'react';

/** Handles the submission of a form, which does not leave the page. */
export function onForm(act: (values: FormData) => void) {
  return (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    act(new FormData(submitted.currentTarget));
  };
}
