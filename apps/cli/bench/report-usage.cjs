'use strict';
// Loaded ahead of a program (`node --require`): at its end, tells file descriptor 3 what the whole process took.
const { writeSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMib: maxRSS / 1024 }));
});
