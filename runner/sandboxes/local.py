"""The local driver: sandboxes made of this machine's own namespaces and cgroups, as root.

``create`` does in the runner's process what has to be read back (cgroups and their limits),
while the supervisor's interpreter starts beside it, and lets the supervisor do the rest.
The order is what clean-up lives from: the record first, then cgroups, then files and
processes; removal goes backwards.
"""

import json
import os
import threading
from collections.abc import Sequence
from typing import Final

from barograph.envelope import Belongs
from barograph.facts import SandboxCreated
from runner.sandboxes import hierarchies, machine, preflight, records, requests, rootless
from runner.sandboxes.capabilities import Capabilities
from runner.sandboxes.cgroups import Applied, Group, group_kill_set, kill_path
from runner.sandboxes.errors import SandboxFailedError, SandboxInputError
from runner.sandboxes.leftovers import LeftOvers
from runner.sandboxes.local_sandbox import LocalSandbox
from runner.sandboxes.port import BeforeRemove, DriverContext, OnState, SandboxRequest, Standing
from runner.sandboxes.records import Place, Record
from runner.sandboxes.supervisor import removal, wire

_NAME: Final = "local"
_START_TIMEOUT_S: Final = 60.0
_SPARED_BYTES: Final = 2 << 30
_SPARED_SHARE: Final = 0.1
_LEAST_SHARE: Final = 0.5


def default_cap_bytes(memory_bytes: int) -> int:
    """Memory for all sandboxes together: all but 2 GiB or a tenth, and at least half."""
    spared = max(_SPARED_BYTES, round(memory_bytes * _SPARED_SHARE))
    return max(memory_bytes - spared, round(memory_bytes * _LEAST_SHARE))


class LocalDriver:
    """See ``port.Driver`` for what each method promises."""

    def __init__(self, context: DriverContext) -> None:
        """Look at the machine; nothing is made on it yet.

        Raises:
            SandboxRefusal: not root, no cgroups, or a data folder that tasks could see.
            SandboxInputError: an impossible context.

        """
        rootless.refuse_unless_root()
        preflight.refuse_if_unable()
        requests.check_context(context)
        self._context = context
        self._files = machine.host_files()
        for path in (context.scratch, context.records, context.collector_socket):
            if path is not None:
                machine.refuse_if_shown(path, self._files)
        self._group = Group(hierarchies.find(), context.folder_id)
        self._asked_cap = context.parent_cap_bytes or default_cap_bytes(machine.memory_bytes())
        self._cap_bytes: int | None = None
        self._cpu_model = machine.cpu_model()
        self._lock = threading.Lock()
        self._standing: dict[str, LocalSandbox | None] = {}
        """None while it is being begun."""

    @property
    def name(self) -> str:
        """``local``."""
        return _NAME

    @property
    def capabilities(self) -> Capabilities:
        """What the kernel of this machine holds for us."""
        version_2 = self._group.hierarchies.version != 1
        return Capabilities(
            memory_ceiling=True,
            memory_floor="guaranteed" if version_2 else "best_effort",
            cpu_ceiling=True,
            cpu_floor="best_effort",
            pids_limit=True,
            no_network=True,
            oom_scopes=frozenset({"sandbox", "process"}),
            oom_scope_enforced_by="kernel" if version_2 else "supervisor",
            images=False,
            storage_limit=False,
            parent_cap=True,
            flags=("host_files", "storage_not_enforced"),
        )

    def create(self, request: SandboxRequest, on_state: OnState | None = None) -> LocalSandbox:
        """Make a sandbox; see the port."""
        cap_bytes = self._raise_up()
        requests.check(request, cap_bytes)
        standing = self._standing_of(request)
        place = Place(
            scratch=self._context.scratch / request.name,
            record=records.path_of(self._context.records, request.name),
        )
        self._take_name(request.name, place)
        try:
            sandbox = self._begin(request, standing, place, on_state)
        except BaseException:
            self._forget(request.name)
            raise
        self._standing[request.name] = sandbox
        try:
            applied = self._group.add(request)
            created = self._created(request, standing, applied, cap_bytes)
            sandbox.begin(self._start_message(request, standing, place), created, _START_TIMEOUT_S)
        except BaseException:
            sandbox.destroy()
            raise
        return sandbox

    def clean_left_overs(self, before_remove: BeforeRemove | None = None) -> Sequence[Standing]:
        """Destroy what earlier runners left; see the port."""
        with self._lock:
            ours = set(self._standing)
        return LeftOvers(self._group, self._context.records, ours).clean(before_remove)

    def close(self) -> None:
        """Destroy what stands, and remove the levels above it."""
        with self._lock:
            standing = list(self._standing.values())
        for sandbox in standing:
            if sandbox is not None:
                sandbox.destroy()
        with self._lock:
            self._cap_bytes = None
            self._group.take_down()

    def _take_name(self, name: str, place: Place) -> None:
        with self._lock:
            if name in self._standing or place.record.exists():
                raise SandboxInputError(
                    "a sandbox of this name stands already",
                    field="name",
                    value=name,
                    remedy="give each sandbox a name of its own",
                )
            self._standing[name] = None

    def _raise_up(self) -> int:
        with self._lock:
            if self._cap_bytes is None:
                self._cap_bytes = self._group.raise_up(self._asked_cap)
            return self._cap_bytes

    def _begin(
        self, request: SandboxRequest, standing: Standing, place: Place, on_state: OnState | None
    ) -> LocalSandbox:
        """Make the scratch folder, start the supervisor and write the record."""
        variables = {**self._files.environment, **request.environment}
        try:
            # A runner killed between this line and the record leaves nothing else to find.
            removal.remove_tree(str(place.scratch))
            place.scratch.mkdir(mode=0o700, parents=True)
            place.record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            sandbox = LocalSandbox(
                standing, place, variables, request.workdir, on_state, self._forget
            )
        except OSError as error:
            raise SandboxFailedError(
                f"it could not be begun: {error.strerror}", where=error.filename
            ) from error
        pid = sandbox.link.pid
        try:
            record = Record(standing=standing, scratch=place.scratch, supervisor_pid=pid)
            records.write(place.record, record)
        except OSError as error:
            sandbox.destroy()
            raise SandboxFailedError(
                f"its record could not be written: {error.strerror}", where=place.record
            ) from error
        return sandbox

    def _forget(self, name: str) -> None:
        with self._lock:
            self._standing.pop(name, None)
        self._group.share_floors()

    def _standing_of(self, request: SandboxRequest) -> Standing:
        belongs = request.belongs
        return Standing(
            name=request.name,
            belongs=Belongs(
                sweep=belongs.sweep,
                trial=belongs.trial,
                try_no=belongs.try_no,
                target=request.name,
            ),
            cgroups=self._group.paths(request.name),
            kernel_path=self._group.kernel_path(request.name),
            cgroup_version=self._group.hierarchies.version,
            oom_scope=request.oom_scope,
        )

    def _start_message(
        self, request: SandboxRequest, standing: Standing, place: Place
    ) -> wire.Message:
        socket = self._context.collector_socket
        finish = {"do": "finish", "target": standing.name, "reason": "owner_gone"}
        return {
            "cgroups": wire.joined_pairs(standing.cgroups),
            "cgroup_binds": wire.joined_pairs(_shown(standing)),
            "version": standing.cgroup_version,
            "kill_path": kill_path(standing),
            "scope": request.oom_scope,
            "scratch": str(place.scratch.resolve()),
            "record": str(place.record.resolve()),
            "workdir": request.workdir,
            "binds": wire.joined_pairs(self._files.binds),
            "links": wire.joined_pairs(self._files.links),
            "hidden": wire.joined(self._files.hidden),
            "files": wire.joined_pairs(self._files.files),
            "no_network": int(request.network == "no-network"),
            "collector_socket": str(socket.resolve()) if socket else "",
            "finish": json.dumps(finish).encode() + b"\n",
        }

    def _created(
        self, request: SandboxRequest, standing: Standing, applied: Applied, cap_bytes: int
    ) -> SandboxCreated:
        version = standing.cgroup_version
        memory = standing.cgroups.get("memory", standing.cgroups.get(hierarchies.UNIFIED, ""))
        by_kernel = request.oom_scope == "process" or group_kill_set(memory, version)
        return SandboxCreated(
            driver=_NAME,
            node=os.uname().nodename,
            kernel=os.uname().release,
            oom_scope=request.oom_scope,
            oom_scope_enforced_by="kernel" if by_kernel else "supervisor",
            cgroup_version=version,
            cgroup_path=standing.kernel_path,
            asked_memory_floor_bytes=request.memory_floor_bytes,
            asked_memory_ceiling_bytes=request.memory_ceiling_bytes,
            asked_cpu_floor_cores=request.cpu_floor_cores,
            asked_cpu_ceiling_cores=request.cpu_ceiling_cores,
            applied_memory_floor_bytes=applied.memory_floor_bytes,
            applied_memory_ceiling_bytes=applied.memory_ceiling_bytes,
            applied_cpu_floor_cores=applied.cpu_floor_cores,
            applied_cpu_ceiling_cores=applied.cpu_ceiling_cores,
            parent_cap_bytes=cap_bytes,
            pids_limit=applied.pids_limit,
            network=request.network,
            cpu_model=self._cpu_model,
            flags=_flags(request, applied, version, emulated=not by_kernel),
        )


def _shown(standing: Standing) -> dict[str, str]:
    """Host cgroup -> where a task finds it, as on an ordinary machine of that version."""
    if standing.cgroup_version != 1:
        return {standing.cgroups[hierarchies.UNIFIED]: "/sys/fs/cgroup"}
    return {path: f"/sys/fs/cgroup/{name}" for name, path in standing.cgroups.items()}


def _flags(request: SandboxRequest, applied: Applied, version: int, *, emulated: bool) -> list[str]:
    says = {
        "host_files": True,
        "storage_not_enforced": True,
        "oom_scope_emulated": emulated,
        "memory_floor_best_effort": version == 1 and request.memory_floor_bytes is not None,
        "cpu_floor_best_effort": request.cpu_floor_cores is not None,
        "swap_not_held": not applied.swap_held,
    }
    return [flag for flag, holds in says.items() if holds]
