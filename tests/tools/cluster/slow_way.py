"""A way to a server on which every answer takes its time: a proxy for bytes, which knows neither TLS nor HTTP. What the
server sends arrives so much later, and nothing is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import yaml

_CHUNK = 1 << 16


class _SlowWay:
    def __init__(self, host: str, port: int, seconds: float) -> None:
        self._server, self._seconds = (host, port), seconds

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection(*self._server)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._forward(reader, to_server, 0.0), self._forward(from_server, writer, self._seconds))

    async def _forward(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, seconds: float) -> None:
        """All chunks are under way at the same time: the way is long, and not narrow."""
        loop, on_their_way = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]]()

        async def deliver() -> None:
            while True:
                at, chunk = await on_their_way.get()
                await asyncio.sleep(max(0.0, at - loop.time()))
                if not chunk:
                    return
                target.write(chunk)
                await target.drain()

        delivery = asyncio.create_task(deliver())
        with suppress(OSError):
            while chunk := await source.read(_CHUNK):
                on_their_way.put_nowait((loop.time() + seconds, chunk))
        on_their_way.put_nowait((loop.time() + seconds, b""))
        with suppress(OSError):
            await delivery
        target.close()


async def _end(server: asyncio.Server) -> None:
    """Takes no more connections, and breaks off those that are there."""
    server.close()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


@contextmanager
def slow_way(host: str, port: int, seconds: float) -> Iterator[int]:
    """The port that leads there, of the same address, which the certificate of the server names: the server runs on
    this machine.
    """
    loop = asyncio.new_event_loop()
    way = _SlowWay(host, port, seconds)
    server = loop.run_until_complete(asyncio.start_server(way.connect, host, 0))
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


@contextmanager
def slow_kubeconfig(kubeconfig: Path, folder: Path, seconds: float) -> Iterator[Path]:
    """A kubeconfig in this folder, with which each answer of the same API server takes so long."""
    config = yaml.safe_load(kubeconfig.read_text())
    cluster = config["clusters"][0]["cluster"]
    server = urlsplit(cluster["server"])
    with slow_way(str(server.hostname), int(server.port or 443), seconds) as port:
        cluster["server"] = f"https://{server.hostname}:{port}"
        file = folder / "kubeconfig"
        file.touch(mode=0o600)
        file.write_text(yaml.safe_dump(config))
        yield file
