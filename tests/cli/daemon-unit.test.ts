import { expect, test } from 'vitest';
import { unitPath, unitText } from '../../cli/daemon/unit.ts';

test('the unit quotes what systemd would read otherwise', () => {
  const text = unitText({
    program: ['/opt/node 20/bin/node', '/home/a "b"/100%/$x/main.js'],
    workingDirectory: '/home/a b/50%',
    environment: [['XZ_HOME', '/home/a b/$x']],
  });
  expect(text).toContain('ExecStart="/opt/node 20/bin/node" "/home/a \\"b\\"/100%%/$$x/main.js" --daemon --all\n');
  expect(text).toContain('WorkingDirectory=/home/a b/50%%\n');
  expect(text).toContain('Environment="XZ_HOME=/home/a b/$x"\n');
  expect(text).toContain('[Install]\nWantedBy=default.target\n');
});

test('the unit lives where systemd looks for those of a person', () => {
  expect(unitPath({}, '/home/a')).toBe('/home/a/.config/systemd/user/xz-daemon.service');
  expect(unitPath({ XDG_CONFIG_HOME: '/cfg' }, '/home/a')).toBe('/cfg/systemd/user/xz-daemon.service');
});
