// The steps of a record and their commands, read from the lines of its histories, which `HistoryEvent` declares.

/** A timeline as a page has it, with what its history says. */
function recordOf(timeline) {
  const record = { ...timeline, steps: [], notRun: [], commands: [], turns: [], written: new Map() };
  for (const line of timeline.history) addToHistory(record, line);
  return record;
}

/** A live page has the histories of the page itself and of each shell; all of them count their steps from 1. */
function addToHistory(record, line) {
  const isOfStep = (step) => step.source === line.source && step.path === line.step && step.end == null;
  switch (line.e) {
    case "source":
      // The next input of a shell has the same name.
      record.written.set(`${line.source} ${line.file}`, line.text);
      break;
    case "step.started":
      record.steps.push({ source: line.source, path: line.step, start: line.t, title: line.title, sentence: line.sentence,
        file: line.file, line: line.line, column: line.column, lastLine: line.lastLine, includedAt: line.includedAt,
        text: record.written.get(`${line.source} ${line.file}`) });
      break;
    case "step.finished":
      Object.assign(record.steps.findLast(isOfStep) ?? {}, { end: line.t, fine: line.fine });
      break;
    case "step.skipped":
      Object.assign(record.steps.findLast(isOfStep) ?? {}, { skipped: line.reason });
      break;
    case "step.notRun":
      record.notRun.push({ source: line.source, path: line.step, title: line.title, sentence: line.sentence });
      break;
    case "command":
      record.commands.push({ source: line.source, path: line.step, t: line.t, actor: line.actor, command: line.command,
        result: line.result, error: line.error, handling: line.handling, elapsed: line.elapsed });
      break;
    case "turn": {
      const step = record.steps.findLastIndex(isOfStep);
      if (step >= 0) record.turns.push({ step, start: line.t, number: line.number, process: line.process, place: line.place, dies: line.dies === true });
      break;
    }
    case "failure":
      Object.assign(record.steps.findLast(isOfStep) ?? {}, { failure: { verdict: line.verdict, reason: line.reason, causes: [], differences: [] } });
  }
}
