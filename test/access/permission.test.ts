import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { effectivePermission, strictest } from '../../shared/access/permission.ts';
import { Permission } from '../../shared/model/tool.ts';

const level = fc.constantFrom(...Permission.options);
const optional = fc.option(level, { nil: undefined });
const rank = (permission: Permission): number => Permission.options.indexOf(permission);

describe('effective permission', () => {
  test('a definition raises the permission of its handler and never lowers it', () => {
    fc.assert(
      fc.property(optional, optional, (handler, definition) => {
        const made = effectivePermission({ permission: handler }, { permission: definition });
        assert.equal(rank(made), Math.max(rank(handler ?? 'safe'), rank(definition ?? 'safe')));
      }),
    );
  });

  test('without a handler the definition decides the permission, and without either a tool is safe', () => {
    assert.equal(effectivePermission(undefined, { permission: 'confirm' }), 'confirm');
    assert.equal(effectivePermission(undefined, {}), 'safe');
  });

  test('a plan is as strict as its strictest node', () => {
    fc.assert(
      fc.property(fc.array(level), (levels) => {
        assert.equal(rank(strictest(levels)), Math.max(0, ...levels.map(rank)));
      }),
    );
  });
});
