// What goes from one lane to another: requests, answers, watch messages and commands, as arrows over the lanes.

/** Nearer than this to an arrow, in pixels, the arrow is meant and not what lies under it. */
const onArrow = 2.5;
/** Nearer than this it is meant when nothing lies under it. */
const besideArrow = 6;

class ArrowLayer {
  constructor(timeline) { this.timeline = timeline; }

  /** The arrows in sight; none when they would be a grey area. */
  inSight() {
    const { model, from, to } = this.timeline;
    const arrows = model.arrows.filter((arrow) => !arrow.isEarlierAttempt && model.events[arrow.to].time >= from && model.startOf(arrow) <= to);
    return arrows.length > 1500 ? [] : arrows;
  }

  /** Where an arrow is drawn; null when one of its lanes is not shown. */
  line(arrow) {
    const { timeline } = this, { model } = timeline;
    const to = timeline.rowOf(model.events[arrow.to])?.top;
    const from = arrow.step != null ? timeline.rowOfStep(arrow.step) : timeline.rowOf(model.events[arrow.from])?.top;
    if (to == null || from == null) return null;
    const isDown = to > from;
    return { x1: timeline.xAt(model.startOf(arrow)), x2: timeline.xAt(model.events[arrow.to].time),
      y1: from + (isDown ? rowHeight - 3 : 3), y2: to + (isDown ? 3 : rowHeight - 3) };
  }

  /** Each step has commands; those of other steps than the chosen one stand back. */
  isQuiet(arrow) { return arrow.kind === "command" && (this.timeline.step == null || !this.timeline.isLit(this.timeline.model.events[arrow.to])); }

  draw(context, colour) {
    const { timeline } = this;
    for (const arrow of this.inSight()) {
      const line = this.line(arrow);
      if (!line) continue;
      const isChosen = timeline.arrow != null && arrow === timeline.model.arrows[timeline.arrow];
      context.globalAlpha = isChosen ? 1 : this.isQuiet(arrow) ? 0.22 : timeline.isLit(timeline.model.events[arrow.to]) ? 0.85 : 0.15;
      context.strokeStyle = context.fillStyle = colour[arrow.kind];
      if (isChosen) {
        context.save();
        context.strokeStyle = colour.text;
        context.lineWidth = 4;
        context.beginPath(); context.moveTo(line.x1, line.y1); context.lineTo(line.x2, line.y2); context.stroke();
        context.restore();
      }
      context.lineWidth = isChosen ? 2 : 1;
      context.beginPath(); context.moveTo(line.x1, line.y1); context.lineTo(line.x2, line.y2); context.stroke();
      const angle = Math.atan2(line.y2 - line.y1, line.x2 - line.x1);
      context.beginPath(); context.moveTo(line.x2, line.y2);
      for (const turn of [0.4, -0.4]) context.lineTo(line.x2 - 6 * Math.cos(angle + turn), line.y2 - 6 * Math.sin(angle + turn));
      context.fill();
      context.lineWidth = 1;
      context.globalAlpha = 1;
    }
  }

  /** The arrow nearest to a place, and how near it is; null when none is. */
  at(x, y) {
    let best = null;
    for (const arrow of this.inSight()) {
      const line = this.line(arrow);
      if (!line) continue;
      // One that is hardly seen gives way to the others.
      const distance = distanceTo(line, x, y) + (this.isQuiet(arrow) ? 1 : 0);
      if (distance <= besideArrow && (!best || distance < best.distance)) best = { arrow, distance };
    }
    return best;
  }
}

/** How far a place is from a line between two places, in pixels. */
function distanceTo({ x1, y1, x2, y2 }, x, y) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const along = length === 0 ? 0 : Math.min(Math.max(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length, 0), 1);
  return Math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1));
}
