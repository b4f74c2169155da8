import { createLabDesk } from './answer';
import type { LabRequest } from './messages';

const answer = createLabDesk();

addEventListener('message', ({ data }: MessageEvent<LabRequest>) => {
  // What is not expected goes to the page as the worker's error event.
  void answer(data).then(postMessage, reportError);
});
