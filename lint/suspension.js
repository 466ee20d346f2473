/**
 * `job.call`, `job.callAll` and `job.step` leave the handler while children run; whoever catches that would go on
 * with what is not there yet. The processor suspends the job all the same, so what the catch does is done twice.
 */
const leaving = new Set(['call', 'callAll', 'step']);

const isLeaving = ({ callee }) =>
  callee.type === 'MemberExpression' &&
  callee.object.type === 'Identifier' &&
  callee.object.name === 'job' &&
  callee.property.type === 'Identifier' &&
  leaving.has(callee.property.name);

const message =
  'What leaves the handler here must not be caught: failures of parts come as AppError from job.call, and as entries from job.callAll.';

const noCaughtSuspension = {
  create(context) {
    return {
      CallExpression(node) {
        if (!isLeaving(node)) return;
        let inner = node;
        for (let outer = node.parent; outer; inner = outer, outer = outer.parent) {
          const isCaught = outer.type === 'TryStatement' && outer.handler !== null && outer.block === inner;
          const isChained =
            outer.type === 'MemberExpression' && outer.object === inner && outer.property.name === 'catch';
          if (isCaught || isChained) context.report({ node, message });
          if (/Function/.test(outer.type)) return;
        }
      },
    };
  },
};

export default { meta: { name: 'quarry' }, rules: { 'no-caught-suspension': noCaughtSuspension } };
