FROM scratch AS cpu
FROM scratch AS gpu
