# docker build -t caffelint . && docker run --rm -v "$PWD:/src:ro" caffelint check .
FROM python:3.13-slim AS build
COPY . /caffelint
RUN python -m venv /opt/caffelint && /opt/caffelint/bin/pip install --no-cache-dir --no-compile /caffelint

FROM python:3.13-slim
COPY --from=build /opt/caffelint /opt/caffelint
RUN useradd --create-home caffelint
ENV PATH=/opt/caffelint/bin:$PATH
USER caffelint
WORKDIR /src
ENTRYPOINT ["caffelint"]
CMD ["check", "."]
